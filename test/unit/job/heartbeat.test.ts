import { describe, expect, it, onTestFinished } from 'vitest';
import { CloudUnreachableError, JobGoneError } from '../../../src/cloud/errors.ts';
import { Heartbeat, type HeartbeatOptions } from '../../../src/job/heartbeat.ts';
import { ManualClock, settled } from './manual-clock.ts';

/** A heartbeat that does with each beat what `beat` says, by a clock of the test's own. */
function beating(beat: (count: number, signal: AbortSignal) => Promise<void>, options: Partial<HeartbeatOptions> = {}) {
  const clock = new ManualClock();
  const seen = { beats: [] as number[], accepted: [] as number[], failures: [] as unknown[], gone: 0, inFlight: 0 };
  const started = clock.now();
  const heartbeat = new Heartbeat({
    clock,
    beat: async (signal) => {
      seen.inFlight += 1;
      seen.beats.push(clock.now() - started);
      try {
        await beat(seen.beats.length, signal);
      } finally {
        seen.inFlight -= 1;
      }
    },
    onAccepted: (asked) => seen.accepted.push(asked.now - started),
    onGone: () => {
      seen.gone += 1;
    },
    onFailure: (error) => seen.failures.push(error),
    ...options,
  });
  onTestFinished(() => heartbeat.stop());
  return { heartbeat, clock, seen };
}

/** As an aborted call behaves. */
const hang = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

describe('a heartbeat', () => {
  it('is sent at once, then every 30 s, and no more after its stop', async () => {
    const { heartbeat, clock, seen } = beating(() => Promise.resolve());
    heartbeat.start();
    await clock.asleep();
    await clock.advance(90_000);
    expect(seen.beats).toEqual([0, 30_000, 60_000, 90_000]);
    expect(seen.accepted).toEqual(seen.beats);
    await heartbeat.stop();
    await clock.advance(300_000);
    expect(seen.beats).toHaveLength(4);
    expect(clock.sleeping).toBe(0);
    expect(seen.failures).toEqual([]);
  });

  it('that fails is told and tried again after 5 s, and counts from when it was asked', async () => {
    const { heartbeat, clock, seen } = beating((count) =>
      count === 2 || count === 3 ? Promise.reject(new CloudUnreachableError('down')) : Promise.resolve(),
    );
    heartbeat.start();
    await clock.asleep();
    await clock.advance(70_000);
    expect(seen.beats).toEqual([0, 30_000, 35_000, 40_000, 70_000]);
    expect(seen.failures).toHaveLength(2);
    expect(seen.accepted).toEqual([0, 40_000, 70_000]);
  });

  it('counts its answer from the question: the server’s clock started there', async () => {
    const answer = Promise.withResolvers<void>();
    const { heartbeat, clock, seen } = beating(() => answer.promise);
    heartbeat.start();
    await clock.advance(20_000);
    answer.resolve();
    await settled();
    expect(seen.accepted).toEqual([0]);
    await clock.advance(10_000);
    expect(seen.beats).toEqual([0, 30_000]);
  });

  it('may begin later, and not at all when it is stopped before', async () => {
    const { heartbeat, clock, seen } = beating(() => Promise.resolve());
    heartbeat.start(12_000);
    await clock.advance(50_000);
    expect(seen.beats).toEqual([12_000, 42_000]);
    const stopped = beating(() => Promise.resolve());
    stopped.heartbeat.start(12_000);
    await stopped.heartbeat.stop();
    await stopped.clock.advance(50_000);
    expect(stopped.seen.beats).toEqual([]);
  });

  it('of a job that is gone says so', async () => {
    const { heartbeat, clock, seen } = beating(() => Promise.reject(new JobGoneError('HTTP 404')));
    heartbeat.start();
    await clock.asleep();
    expect(seen).toMatchObject({ gone: 1 });
    expect(seen.failures).toHaveLength(1);
  });

  it('is not in flight when its stop resolves', async () => {
    const { heartbeat, clock, seen } = beating((_, signal) => hang(signal));
    heartbeat.start();
    await settled();
    expect(seen.inFlight).toBe(1);
    await heartbeat.stop();
    expect(seen).toMatchObject({ inFlight: 0, failures: [] });
    expect(clock.sleeping).toBe(0);
  });

  it('waits in its stop for a call that does not heed the signal', async () => {
    const answer = Promise.withResolvers<void>();
    const { heartbeat, seen } = beating(() => answer.promise);
    heartbeat.start();
    await settled();
    let stopped = false;
    const stop = heartbeat.stop().then(() => {
      stopped = true;
    });
    await settled();
    expect(stopped).toBe(false);
    answer.resolve();
    await stop;
    expect(seen.beats).toHaveLength(1);
  });

  it('can be stopped twice, and before it began', async () => {
    const { heartbeat, seen } = beating(() => Promise.resolve());
    await heartbeat.stop();
    await heartbeat.stop();
    expect(seen.beats).toEqual([]);
  });
});
