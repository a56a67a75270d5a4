import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { type ClaimedRun, claimed, jobOf } from '../../support/agent/claimed-run.ts';
import { fastClock } from '../../support/job/fast-clock.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';

const MINUTE = 60_000;
/** Milliseconds for real processes and calls while the manual clock stands still. */
const PATIENCE_MS = 30_000;
const STUBBORN = "trap '' INT TERM; echo ready; while :; do sleep 0.02; done";

/** Advances the clock until `isReached`, pausing after each step for whatever is under way. */
async function pass(clock: ManualClock, isReached: () => boolean, ms = 1_000): Promise<void> {
  while (!isReached()) {
    await clock.advance(ms);
    await delay(2);
  }
}

/** What stops the job first: a stop long before its lease is lost, or the loss itself. */
const WAYS: readonly [string, (run: ClaimedRun) => void, string][] = [
  [
    'was cancelled in Pulumi Cloud',
    (run) => run.stop.request({ by: 'cloud', reason: 'it was cancelled' }),
    'cancelled',
  ],
  ['was interrupted', (run) => run.interrupt(), 'interrupted'],
  ['ran out of time', (run) => run.stop.request({ by: 'timeout', reason: 'the job timed out' }), 'failed'],
  ['loses its lease first', () => undefined, 'lease-lost'],
];

it.each(WAYS)(
  'a job that %s is over within Pulumi Cloud’s 10 minutes when its network goes away, despite 30 minutes of grace',
  {
    timeout: 120_000,
  },
  async (_, bringAbout, outcome) => {
    const clock = new ManualClock();
    const run = await claimed({
      job: jobOf(STUBBORN),
      config: { cancel_grace_period: '30m' },
      http: { retryCount: 0 },
      options: { clock },
    });
    const end = run.serve();
    let isOver = false;
    void end.finally(() => {
      isOver = true;
    });
    await pass(clock, () => run.log(1) === 'ready\n', 100);
    const [container] = run.target.containers;
    bringAbout(run);
    if (outcome !== 'lease-lost') await pass(clock, () => container!.signals.length === 1);
    const { heartbeats } = run.deployment;
    const seen = heartbeats.length;
    await pass(clock, () => heartbeats.length > seen, 100);
    // The last accepted heartbeat.
    const accepted = clock.steady();
    for (const method of ['GET', 'POST', 'PATCH']) {
      run.cloud.script({ method, path: /./, times: Number.POSITIVE_INFINITY, answer: 'reset' });
    }
    await pass(clock, () => run.stop.endBy < Number.POSITIVE_INFINITY, 5_000);
    expect(clock.steady() - accepted).toBeGreaterThan(8 * MINUTE - 1_000);
    await vi.waitFor(() => expect(container!.signals).toEqual(['SIGINT']), PATIENCE_MS);
    await pass(clock, () => container!.signals.length === 2, 5_000);
    await vi.waitFor(() => expect(container!.signals).toHaveLength(2), PATIENCE_MS);
    await pass(clock, () => container!.signals.length === 3, 5_000);
    // Only the kill and the removal are left to wait for.
    await vi.waitFor(() => expect(container!.removals).toBe(1), PATIENCE_MS);
    expect(container!.signals).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL']);
    expect(clock.steady() - accepted).toBeLessThan(10 * MINUTE);
    await pass(clock, () => isOver, 5_000);
    expect((await end).outcome).toBe(outcome);
  },
);

it('a machine that wakes up after half an hour and gets no answer from Pulumi Cloud stops its step, and says why', async () => {
  const clock = fastClock(100);
  let slept = 0;
  const run = await claimed({
    job: jobOf("trap 'exit 130' INT; echo ready; while :; do sleep 0.05; done"),
    options: { clock: { ...clock, now: () => clock.now() + slept } },
  });
  const end = run.serve();
  await run.printed('ready');
  run.cloud.script({ method: 'POST', path: /heartbeat/, times: Infinity, answer: { status: 503 } });
  slept = 30 * MINUTE;
  const { outcome, message } = await end;
  expect(outcome).toBe('lease-lost');
  expect(message).toContain('this machine was suspended, or its clock set forward, by about 30 min');
});
