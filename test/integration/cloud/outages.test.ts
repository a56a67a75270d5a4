import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NEVER } from '../../../src/base/clock.ts';
import { CALLS, failing } from '../../emulators/pulumi-cloud/faults.ts';
import type { PulumiCloudOptions } from '../../emulators/pulumi-cloud/server.ts';
import { type ClaimedRun, claimed, jobOf } from '../../support/agent/claimed-run.ts';
import { agentOf } from '../../support/agent/cloud-agent.ts';
import { fastClock } from '../../support/job/fast-clock.ts';

/** Five minutes pass in three real seconds. */
const PACE = 100;
const MINUTE = 60_000;
/** A step that runs until the test lets it go, and ends gracefully on an interrupt. */
const UNTIL_LET_GO = "trap 'exit 130' INT; echo ready; until [ -e go ]; do sleep 0.02; done";

/** A claim from a Pulumi Cloud that shares the agent's fast clock. */
async function scene(job: unknown, options: PulumiCloudOptions = {}, reportTimeout = '10m', pace = PACE) {
  const clock = fastClock(pace);
  const run = await claimed({
    job,
    cloud: { clock: () => clock.now(), heartbeatGraceMs: MINUTE, ...options },
    config: { job_status_loop_interval: '10s', report_timeout: reportTimeout },
    options: { clock },
  });
  return { clock, run };
}

/** Resolves at the next accepted heartbeat, with which the lease has its whole time. */
async function heartbeat({ cloud, deployment: { heartbeats } }: ClaimedRun): Promise<void> {
  const before = heartbeats.length;
  await cloud.waitFor(() => heartbeats.length > before);
}

const signals = (run: ClaimedRun) => run.target.containers.flatMap((container) => container.signals);

describe('a running job', () => {
  /** As a router without a route answers. */
  const NO_ROUTE = { status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found\n' };

  it('goes on through 7 minutes of 404 to every call, and loses no line', async () => {
    // Slower: the lease lasts for less than a minute more.
    const { run, clock } = await scene(jobOf(`${UNTIL_LET_GO}; echo late`), {}, '10m', 25);
    const ending = run.serve();
    await run.printed('ready');
    await heartbeat(run);
    run.cloud.script({ path: CALLS.aboutJob, window: { ms: 7 * MINUTE }, answer: NO_ROUTE });
    await clock.sleep(6.5 * MINUTE, NEVER);
    await writeFile(join(run.root, 'go'), '');
    expect(await ending).toMatchObject({ outcome: 'succeeded', reported: true });
    expect({ log: run.log(1), signals: signals(run) }).toEqual({ log: 'ready\nlate\n', signals: [] });
    run.expectOrderlyEnd();
  });

  it('loses its lease when 404 lasts, as when there is no answer, and reports for as long as configured', async () => {
    const { run, clock } = await scene(jobOf(UNTIL_LET_GO), {}, '14m');
    const ending = run.serve();
    await run.printed('ready');
    await heartbeat(run);
    run.cloud.script({ path: CALLS.aboutJob, times: Number.POSITIVE_INFINITY, answer: NO_ROUTE });
    const began = clock.steady();
    expect(await ending).toMatchObject({ outcome: 'lease-lost', reported: false });
    expect(signals(run)[0]).toBe('SIGINT');
    expect(clock.steady() - began).toBeGreaterThanOrEqual(21 * MINUTE);
  });
});

describe('the last status', () => {
  const last = {
    method: 'PATCH',
    path: /\/1\/status$/,
    matches: ({ text }: { text: string }) => text.includes('succeeded'),
  };

  it('is reported after an outage of 6 minutes, and heartbeats continue until then', async () => {
    const { run } = await scene(jobOf('true'), { heartbeatWithinMs: 2 * MINUTE });
    run.cloud.script({ ...last, window: { ms: 6 * MINUTE }, answer: failing(503) });
    expect(await run.serve()).toMatchObject({ outcome: 'succeeded', reported: true });
    expect(run.deployment).toMatchObject({ status: 'succeeded', endReason: 'steps' });
    run.expectOrderlyEnd();
  });

  it.each([401, 404, 410])(
    'whose answer was lost and whose repeats are refused with %i is soon known',
    async (refusal) => {
      const run = await claimed({ job: jobOf('true') });
      run.cloud.allow(/status: .*(?:not a job token|refused)/);
      run.cloud.script({ ...last, when: 'after', answer: 'reset' });
      run.cloud.script({ ...last, times: Number.POSITIVE_INFINITY, answer: failing(refusal) });
      const began = performance.now();
      expect(await run.serve()).toMatchObject({ outcome: 'succeeded', reported: true });
      expect(performance.now() - began).toBeLessThan(20_000);
    },
  );

  it('is not believed to be taken by a service that derives a success from the other steps', async () => {
    const run = await claimed({ job: jobOf('true'), config: { report_timeout: '4s' } });
    run.cloud.allow(/status: .*(?:not a job token|refused)/);
    run.cloud.script({ ...last, answer: 'reset' });
    run.cloud.script({ ...last, times: Number.POSITIVE_INFINITY, answer: failing(404) });
    run.cloud.script({
      path: CALLS.look,
      times: Number.POSITIVE_INFINITY,
      matches: () => run.deployment.steps[0]!.status === 'succeeded',
      answer: { status: 200, body: 'succeeded' },
    });
    expect(await run.serve()).toMatchObject({ outcome: 'unreported', reported: false });
  });

  it('is dropped at once when nobody waits for reports any more', async () => {
    const { run } = await scene(jobOf('true'), {}, '24h');
    run.cloud.script({ ...last, times: Number.POSITIVE_INFINITY, answer: failing(503) });
    const ending = run.serve();
    await run.cloud.waitFor(
      () => run.cloud.requests.some(({ path, status }) => path.endsWith('/1/status') && status === 503),
      30_000,
    );
    run.abandonReports();
    expect(await ending).toMatchObject({ outcome: 'unreported', reported: false });
  });

  it('that is never accepted leaves the run unreported (exit code 9), whether or not heartbeats get through', async () => {
    const neither = { path: new RegExp(`${CALLS.heartbeat.source}|/1/status$`) };
    const run = async (calls: typeof last | typeof neither) => {
      const clock = fastClock(PACE);
      const { agent, cloud, enqueue, result, target } = await agentOf({ options: { clock } });
      cloud.script({ ...calls, times: Number.POSITIVE_INFINITY, answer: failing(503) });
      enqueue(jobOf('true'));
      expect(await agent.run()).toBe(9);
      const run = await result();
      expect(run).toMatchObject({ outcome: 'unreported', exitCode: 9, reported: false });
      expect(run?.steps.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
      expect(run?.message).toMatch(
        /^The deployment's steps succeeded, but Pulumi Cloud accepted no report of the last one/,
      );
      // Those of the trial and of the job.
      expect(target.containers.map(({ removals }) => removals)).toEqual([1, 1]);
    };
    await Promise.all([last, neither].map(run));
  }, 60_000);
});
