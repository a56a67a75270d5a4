import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lockHint } from '../../../src/record/output/lock.ts';
import { CALLS, failing } from '../../emulators/pulumi-cloud/faults.ts';
import { type ClaimedRun, claimed, jobOf } from '../../support/agent/claimed-run.ts';
import { holdTimer } from '../../support/job/held-timer.ts';

/** Ends gracefully on an interrupt, as the Pulumi CLI does. */
const ORDERLY = "trap 'echo state saved; exit 130' INT; echo ready; while :; do sleep 0.02; done";
/** Finishes its work despite the interrupt. */
const FINISHES = "trap 'echo finished all the same; exit 0' INT; echo ready; while :; do sleep 0.02; done";
/** Ends as `pulumi up | tee log` does: gracefully, and with the exit code of tee. */
const PIPED = `trap 'echo "^C received; cancelling."; printf "error: update canceled\\nResources:\\n\\nDuration: 1s\\n"; exit 0' INT
echo ready; while :; do sleep 0.02; done`;

/** Runs until the test lets it go, and ends well. */
const UNTIL_LET_GO = 'echo ready; until [ -e go ]; do sleep 0.02; done';

/** Waits until the run is stopped, as an executor that heeds its signal does. */
const untilStopped = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });

const CONFIG = { job_status_loop_interval: '100ms' };
const CANCELLED = 'the deployment was cancelled in Pulumi Cloud';

/** Each way to stop a run: its name, what triggers it, the outcome and the reason. */
const WAYS: readonly [string, (run: ClaimedRun) => void, string, string][] = [
  ['an interrupt', (run) => run.interrupt(), 'interrupted', 'the agent was interrupted by SIGINT'],
  ['a cancellation in Pulumi Cloud', (run) => run.cloud.cancel(run.deployment.id), 'cancelled', CANCELLED],
  [
    'a lease that ran out',
    (run) => run.stop.request({ by: 'lease', reason: 'no heartbeat was accepted' }),
    'lease-lost',
    'no heartbeat was accepted',
  ],
];

describe.each(WAYS)('%s', (_, bringAbout, outcome, reason) => {
  it('ends a running step gracefully, and runs no later one', async () => {
    const run = await claimed({ job: jobOf(ORDERLY, 'echo never'), config: CONFIG });
    const end = run.serve();
    await run.printed('ready');
    bringAbout(run);
    expect(await end).toMatchObject({
      outcome,
      message: `Failed to finish step 1 "Step 1": ${reason}. The stack may need a refresh.`,
      steps: [
        { status: 'succeeded' },
        { status: 'failed', exitCode: 130, reason },
        { status: 'not-started' },
      ],
    });
    expect(run.target.containers[0]!.signals).toEqual(['SIGINT']);
    expect(await run.file('steps/01-step-1.log')).toBe(
      `ready\n[agent] Stopping the step: ${reason}. Sending SIGINT.\nstate saved\n[agent] The step failed: ${reason}.\n`,
    );
    expect(run.told).toEqual([
      ['Setup', 'running', 'succeeded'],
      ['Step 1', 'running', 'failed'],
      ['Step 2'],
    ]);
    run.expectOrderlyEnd();
    expect(await run.events()).toContainEqual(expect.objectContaining({ type: 'stopping', reason }));
  });
});

it.each([
  ['interrupt', 'succeeded'],
  ['cancellation', 'cancelled'],
])('on %s, a job whose last step finishes its work anyway ends as %s', async (way, outcome) => {
  const run = await claimed({ job: jobOf(FINISHES), config: CONFIG });
  const end = run.serve();
  await run.printed('ready');
  if (way === 'interrupt') run.interrupt();
  else run.cloud.cancel(run.deployment.id);
  // The step's work is done and Pulumi Cloud has accepted its status; a cancelled job stays cancelled.
  expect(await end).toMatchObject({ outcome, steps: [{}, { status: 'succeeded' }] });
  expect(run.told[1]).toEqual(['Step 1', 'running', 'succeeded']);
  run.expectOrderlyEnd();
});

it.each([
  ['the last step', []],
  ['a step before others', ['echo never']],
])('an interrupt that cuts Pulumi short fails %s, though its pipeline ends with 0', async (_, more) => {
  const run = await claimed({ job: jobOf(PIPED, ...more), config: CONFIG });
  const end = run.serve();
  await run.printed('ready');
  run.interrupt();
  const reason = 'the agent was interrupted by SIGINT';
  const { outcome, steps } = await end;
  expect({ outcome, steps }).toMatchObject({
    outcome: 'interrupted',
    steps: [{}, { status: 'failed', exitCode: 0, reason }, ...more.map(() => ({ status: 'not-started' }))],
  });
  expect(run.told[1]).toEqual(['Step 1', 'running', 'failed']);
  expect(await lockHint(run.directory, steps)).toEqual({ sign: 'released', step: 'Step 1' });
  run.expectOrderlyEnd();
});

describe('a cancellation', () => {
  const reason = CANCELLED;

  it('between two steps fails the next one without running it', async () => {
    const run = await claimed({ job: jobOf(FINISHES, 'echo never', 'echo never'), config: CONFIG });
    const end = run.serve();
    await run.printed('ready');
    run.cloud.cancel(run.deployment.id);
    expect(await end).toMatchObject({
      outcome: 'cancelled',
      steps: [
        {},
        { status: 'succeeded', exitCode: 0 },
        { status: 'failed', reason: `not run: ${reason}`, failure: 'not-run' },
        { status: 'not-started' },
      ],
    });
    expect(run.log(2)).toBe(`[agent] The step failed: not run: ${reason}.\n`);
    expect(run.target.containers[0]!.specs).toHaveLength(1);
    run.expectOrderlyEnd();
  });

  it('ends the preparation', async () => {
    const run = await claimed({
      job: jobOf('echo never'),
      config: CONFIG,
      target: { onPrepare: untilStopped },
    });
    const end = run.serve();
    await run.cloud.waitFor(() => run.deployment.steps[0]!.lines.length > 0);
    run.cloud.cancel(run.deployment.id);
    expect(await end).toMatchObject({
      outcome: 'cancelled',
      message: `Failed to finish the deployment: ${reason}. No step was run.`,
      steps: [{ status: 'failed' }, { status: 'not-started' }],
    });
    expect(run.told).toEqual([['Setup', 'running', 'failed'], ['Step 1']]);
    expect(run.log(0)).toContain(reason);
    expect(run.target.containers).toEqual([]);
    run.expectOrderlyEnd();
  });
});

describe('a cancellation in Pulumi Cloud that no look has shown yet', () => {
  /** A run whose only step was let go, after `before`. The interval is too long for a look in between. */
  const letGo = async (before: (run: ClaimedRun) => void) => {
    const run = await claimed({ job: jobOf(UNTIL_LET_GO) });
    const end = run.serve();
    await run.printed('ready');
    before(run);
    await writeFile(join(run.root, 'go'), '');
    return { run, end };
  };

  it('turns a success into a cancellation, though every status was taken', async () => {
    const { run, end } = await letGo((run) => run.cloud.cancel(run.deployment.id));
    expect(await end).toMatchObject({
      outcome: 'cancelled',
      code: 'PRA-JOB-03',
      reported: true,
      message: `Failed to finish the deployment: ${CANCELLED}. Every step had succeeded.`,
      steps: [{ status: 'succeeded' }, { status: 'succeeded', exitCode: 0 }],
    });
    expect(run.told[1]).toEqual(['Step 1', 'running', 'succeeded']);
  });

  it('is seen though the first of the last looks fails', async () => {
    const { run, end } = await letGo((run) => {
      run.cloud.cancel(run.deployment.id);
      run.cloud.script({ path: CALLS.look, answer: failing(503) });
    });
    expect(await end).toMatchObject({ outcome: 'cancelled', reported: true });
    expect(run.notices).toEqual([
      expect.stringMatching(/^Failed to read the deployment's status .*HTTP 503/),
    ]);
  });

  it.each(['hang', 'reset'] as const)('is not assumed when the last look meets a %s', async (answer) => {
    const { run, end } = await letGo((run) => {
      run.cloud.script({ path: CALLS.look, times: Number.POSITIVE_INFINITY, answer });
    });
    expect(await end).toMatchObject({ outcome: 'succeeded', reported: true });
    run.expectOrderlyEnd();
  });

  it('before the claim runs nothing, and pulls nothing', async () => {
    const run = await claimed({ job: jobOf('echo never') });
    run.cloud.cancel(run.deployment.id);
    expect(await run.serve()).toMatchObject({
      outcome: 'cancelled',
      message: `Failed to finish the deployment: ${CANCELLED}. No step was run.`,
    });
    expect({ specs: run.target.specs, told: run.told }).toEqual({
      specs: [],
      told: [['Setup', 'running', 'failed'], ['Step 1']],
    });
    run.expectOrderlyEnd();
  });

  it('is not what a failed step makes of the deployment', async () => {
    const run = await claimed({
      job: jobOf('exit 3'),
      config: CONFIG,
      target: { onRemove: () => delay(500) },
    });
    expect(await run.serve()).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('exit code 3'),
    });
    expect(run.deployment.status).toBe('failed');
  });
});

it('a service that serves check alone and deletes what was cancelled stops the job by that', async () => {
  const run = await claimed({
    job: jobOf(ORDERLY),
    config: CONFIG,
    cloud: { checkAlone: true, deletesCancelled: true },
  });
  const end = run.serve();
  await run.printed('ready');
  run.cloud.cancel(run.deployment.id);
  expect(await end).toMatchObject({ outcome: 'cancelled', reported: true });
  expect(run.target.containers[0]!.signals).toEqual(['SIGINT']);
});

it('a job’s timeout leaves no timer behind', async () => {
  const [begun, cleared] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  onTestFinished(() => void vi.restoreAllMocks());
  const run = await claimed({ job: { ...jobOf('true'), timeout: '7h0m0s' } });
  expect(await run.serve()).toMatchObject({ outcome: 'succeeded' });
  const index = begun.mock.calls.findIndex(([, ms]) => ms === 7 * 3_600_000);
  expect(cleared).toHaveBeenCalledWith(begun.mock.results[index]?.value);
});

describe('a job is interrupted and fails when it reaches', () => {
  // Exit code 0 fails too: a pipe hides how the engine in it ended.
  it.each([
    ['its timeout', ORDERLY, { timeout: '2s' }, {}, 'timeout', 'in time: the job timed out after 2s'],
    [
      'soft_timeout',
      ORDERLY,
      {},
      { soft_timeout: '2s' },
      'timeout',
      'in time: the job ran for longer than soft_timeout (2s)',
    ],
    [
      'memory_soft_limit',
      FINISHES,
      {},
      { memory: '100Mi' },
      'memory',
      'within its memory: the job took 90 MiB of memory, and memory_soft_limit is 85 MiB',
    ],
  ])('%s', async (_, script, more, config, by, said) => {
    let memory = 60;
    const run = await claimed({
      job: { ...jobOf(script, 'echo never'), ...more },
      config,
      target: { memory: () => memory * 2 ** 20 },
    });
    const ready = run.printed('ready');
    // Both times begin before the step does.
    holdTimer(2_000, ready);
    const end = run.serve();
    await ready;
    memory = 90;
    expect(await end).toMatchObject({
      outcome: 'failed',
      code: by === 'timeout' ? 'PRA-JOB-06' : 'PRA-JOB-07',
      message: `Failed to finish step 1 "Step 1" ${said}. The stack may need a refresh.`,
      steps: [{}, { status: 'failed', exitCode: script === ORDERLY ? 130 : 0 }, { status: 'not-started' }],
    });
    expect(run.target.containers[0]!.signals).toEqual(['SIGINT']);
    expect(await run.events()).toContainEqual(expect.objectContaining({ type: 'stopping', by }));
    run.expectOrderlyEnd();
  });
});

it('an interrupt after the end of a job is not recorded for it', async () => {
  const run = await claimed({ job: jobOf('true'), config: CONFIG });
  expect(await run.serve()).toMatchObject({ outcome: 'succeeded' });
  run.interrupt();
  expect((await run.events()).map(({ type }) => type)).not.toContain('stopping');
});
