import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jobOf } from '../../support/agent/claimed-run.ts';
import { proxiedAgent } from '../../support/pulumi-agent/proxied-agent.ts';
import { shared } from '../../support/pulumi-agent/pulumi-run.ts';

const FOR_THE_ENGINE = { status: 'failed', reason: 'the agent ended' } as const;

describe('a run that the relay sees', () => {
  it('has the steps, statuses and lines of the agent’s own record', async () => {
    const scene = await proxiedAgent();
    scene.enqueue(
      jobOf(
        'for i in $(seq 1 2500); do echo "line $i of the log"; done; printf "no end of line"',
        'printf "a\\r\\nb\\n\\nü€😀\\n"; head -c 30000 /dev/zero | tr "\\0" x; echo',
        'echo before the end; exit 3',
        'echo never',
      ),
    );
    expect(await scene.agent.run()).toBe(1);
    const own = (await scene.result())!;
    const steps = await scene.job.close(FOR_THE_ENGINE);
    expect(scene.job.result).toBe('failed');
    expect(steps.map(shared)).toEqual(own.steps.map(shared));
    expect(steps.map(({ status }) => status)).toEqual([
      'succeeded',
      'succeeded',
      'succeeded',
      'failed',
      'not-started',
    ]);
    for (const { log } of own.steps.filter((step) => step.log !== undefined))
      expect(await readFile(join(scene.recorded, log!), 'utf8')).toBe(
        await readFile(join(scene.directory, 'run-1', log!), 'utf8'),
      );
    const { jobId, runId, deploymentId } = own;
    expect(scene.job.claim).toEqual({ jobId, runId, deploymentId });
    const events = await readFile(join(scene.recorded, 'events.ndjson'), 'utf8');
    const types = Array.from(events.matchAll(/"type":"([^"]+)"/g), ([, type]) => type);
    const first = ['authenticated', 'claimed', 'job-loaded', 'step-started', 'step-finished'];
    expect(types.slice(0, first.length)).toEqual(first);
    expect(scene.job.deployment).toMatchObject({ identity: own.identity });
    // The service's console is unknown, though the job's variables name a page.
    expect([scene.job.deployment.deploymentUrl, own.deploymentUrl]).toEqual([undefined, undefined]);
    expect(types).not.toContain('notice');
  });

  it('holds no secret of its job, and no token', async () => {
    const scene = await proxiedAgent();
    scene.enqueue({
      ...jobOf('echo "$MARKED, $PLAIN and $PULUMI_ACCESS_TOKEN"'),
      env: {
        MARKED: { secret: 'marked-5d8e1f' },
        PLAIN: 'production',
        PULUMI_ACCESS_TOKEN: 'pul-c0ffee4711',
      },
    });
    expect(await scene.agent.run()).toBe(0);
    const [, step] = await scene.job.close(FOR_THE_ENGINE);
    expect(scene.job.result).toBe('succeeded');
    expect(await readFile(join(scene.recorded, step!.log!), 'utf8')).toBe('***, production and ***\n');
  });

  it('counts what Pulumi Cloud refused, and counts a repeated line only once', async () => {
    const scene = await proxiedAgent();
    scene.cloud.script({ path: /\/1\/logs$/, when: 'after', answer: { status: 503 } });
    scene.enqueue(jobOf('echo once'));
    expect(await scene.agent.run()).toBe(0);
    const [, step] = await scene.job.close(FOR_THE_ENGINE);
    expect(step).toMatchObject({ lines: 1, cloud: { sent: 1, undelivered: 0, batches: 1, failures: 1 } });
  });
});
