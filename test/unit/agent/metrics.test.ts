import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Metrics, type Readings } from '../../../src/agent/health/metrics.ts';
import { NEVER } from '../../../src/base/clock.ts';

const READINGS: Readings = {
  state: 'waiting',
  healthy: true,
  paused: false,
  lastActivity: 0,
  lastHeartbeat: undefined,
};

function metricsOf() {
  const at = { ms: 0 };
  const metrics = new Metrics('1.2.3', () => at.ms);
  const scrape = async () => (await metrics.scrape(READINGS)).text;
  return { at, metrics, scrape };
}

/** Counts everything that an agent can count, at least once. */
async function lifeOf({ at, metrics }: ReturnType<typeof metricsOf>): Promise<void> {
  metrics.request('token-exchange', '2xx', 0.2);
  metrics.request('poll', 'no-answer', 30);
  await metrics.timedPoll(() => Promise.reject(new Error('no')), NEVER).catch(() => undefined);
  await metrics.timedPoll(() => Promise.resolve({}), NEVER);
  metrics.event({ type: 'claimed', deploymentId: 'd-secret', runId: 'r', jobId: 'j', waitSeconds: 1 });
  at.ms += 3_000;
  for (const index of [0, 1, 2]) {
    metrics.event({ type: 'step-started', index, step: `name ${index}`, log: 'l' });
    metrics.event({ type: 'step-finished', index, step: 's', status: 'succeeded', seconds: 1, lines: 1 });
    at.ms += 1_000;
  }
  metrics.heartbeat('accepted');
  for (const figures of [{ bytes: 1_500 }, { bytes: 500 }, { sent: 15 }, { sent: 5 }, { undelivered: 2 }])
    metrics.log(figures);
  metrics.job({ outcome: 'succeeded', seconds: 6 });
}

describe('the metrics', () => {
  it('are those of docs/observability.md, each with its help, its type and bounded labels', async () => {
    const whole = metricsOf();
    await lifeOf(whole);
    const text = await whole.scrape();
    const page = readFileSync(join(import.meta.dirname, '../../../docs/observability.md'), 'utf8');
    const rows = [...page.matchAll(/^- `(\w+)` \((counter|gauge|histogram)(?:; (.*?))?\): (.*)$/gm)];
    const told = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)];
    expect(told.map(([, name, help, type]) => [name, type, help])).toEqual(
      rows.map(([, name, type, , help]) => [name, type, help]),
    );
    for (const [, sample = '', labels = ''] of text.matchAll(/^([a-z_]+)\{([^}]*)\}/gm)) {
      const row = rows.find(([, name]) => new RegExp(`^${name}(_bucket|_sum|_count)?$`).test(sample));
      for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
        const isBounded = label !== 'le' && sample !== 'pulumi_runner_build_info';
        if (isBounded) expect(row?.[3]).toMatch(new RegExp(`\`${label}\`:[^;]* \`${value}\``));
      }
    }
    expect(text).not.toContain('d-secret');
  });

  it('count what happened before the first scrape and what happens later', async () => {
    const whole = metricsOf();
    await lifeOf(whole);
    for (let round = 1; round <= 2; round++) {
      const text = await whole.scrape();
      for (const line of [
        `pulumi_runner_claims_total ${round}`,
        `pulumi_runner_jobs_total{outcome="succeeded"} ${round}`,
        'pulumi_runner_jobs_total{outcome="lease-lost"} 0',
        `pulumi_runner_job_duration_seconds_sum ${6 * round}`,
        `pulumi_runner_claim_to_first_step_seconds_count ${round}`,
        `pulumi_runner_claim_to_first_step_seconds_sum ${4 * round}`,
        `pulumi_runner_steps_total{status="succeeded"} ${3 * round}`,
        `pulumi_runner_log_lines_total{result="sent"} ${20 * round}`,
        `pulumi_runner_log_lines_total{result="undelivered"} ${2 * round}`,
        `pulumi_runner_output_bytes_total ${2_000 * round}`,
        `pulumi_runner_requests_total{purpose="poll",result="no-answer"} ${round}`,
        `pulumi_runner_request_duration_seconds_bucket{le="0.25",purpose="token-exchange"} ${round}`,
        `pulumi_runner_poll_duration_seconds_count{result="failure"} ${round}`,
        `pulumi_runner_poll_duration_seconds_count{result="nothing"} ${round}`,
        'pulumi_runner_agent_state{state="waiting"} 1',
        `pulumi_runner_build_info{version="1.2.3",node="${process.version}"} 1`,
      ])
        expect(text.split('\n')).toContain(line);
      await lifeOf(whole);
    }
  });

  it('leave out a poll that was abandoned because the agent is ending', async () => {
    const { metrics, scrape } = metricsOf();
    const poll = metrics.timedPoll(() => Promise.reject(new Error('ended')), AbortSignal.abort());
    await expect(poll).rejects.toThrow('ended');
    expect(await scrape()).not.toContain('pulumi_runner_poll_duration_seconds_count');
  });
});
