import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { CloudUnreachableError, JobGoneError } from '../../../src/cloud/errors.ts';
import { Heartbeat, type HeartbeatOptions } from '../../../src/job/heartbeat.ts';
import { ManualClock, settled } from './manual-clock.ts';

/** A heartbeat that does with each beat what `beat` says, by a clock of the test's own. */
function beating(beat: (count: number, signal: AbortSignal) => Promise<void>, options: Partial<HeartbeatOptions> = {}) {
  const clock = new ManualClock();
  const seen = { beats: [] as number[], failures: [] as unknown[], lost: 0, gone: 0, inFlight: 0 };
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
    onLost: () => {
      seen.lost += 1;
    },
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
    expect(heartbeat.lastAccepted).toBe(clock.now());
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
    const started = clock.now();
    heartbeat.start();
    await clock.asleep();
    await clock.advance(70_000);
    expect(seen.beats).toEqual([0, 30_000, 35_000, 40_000, 70_000]);
    expect(seen.failures).toHaveLength(2);
    expect(heartbeat.lastAccepted - started).toBe(70_000);
  });

  it('counts its answer from the question: the server’s clock started there', async () => {
    const answer = Promise.withResolvers<void>();
    const { heartbeat, clock } = beating(() => answer.promise);
    const asked = clock.now();
    heartbeat.start();
    await clock.advance(20_000);
    answer.resolve();
    await settled();
    expect(heartbeat.lastAccepted).toBe(asked);
  });

  it('of a job that is gone says so', async () => {
    const { heartbeat, clock, seen } = beating(() => Promise.reject(new JobGoneError('HTTP 404')));
    heartbeat.start();
    await clock.asleep();
    expect(seen).toMatchObject({ gone: 1, lost: 0 });
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

describe('the fence', () => {
  const FENCE = 200;
  const fenced = (beat: (count: number, signal: AbortSignal) => Promise<void>, onLost: () => void) =>
    beating(beat, { clock: systemClock, fenceMs: FENCE, intervalMs: 20, retryMs: 20, onLost });

  it('falls when nothing is accepted in time', async () => {
    const lost = Promise.withResolvers<void>();
    const started = performance.now();
    const { heartbeat, seen } = fenced(() => Promise.reject(new CloudUnreachableError('down')), lost.resolve);
    heartbeat.start();
    await lost.promise;
    expect(performance.now() - started).toBeGreaterThanOrEqual(FENCE - 5);
    expect(seen.beats.length).toBeGreaterThan(1);
  });

  it('falls even when a heartbeat hangs', async () => {
    const lost = Promise.withResolvers<void>();
    const { heartbeat, seen } = fenced((_, signal) => hang(signal), lost.resolve);
    heartbeat.start();
    await lost.promise;
    expect(seen.beats).toHaveLength(1);
  });

  it('falls for a refusal as for silence, and later than that when some were accepted', async () => {
    const lost = Promise.withResolvers<void>();
    const started = performance.now();
    let last = 0;
    const { heartbeat } = fenced((count) => {
      if (count > 5) return Promise.reject(new Error('HTTP 403'));
      last = performance.now();
      return Promise.resolve();
    }, lost.resolve);
    heartbeat.start();
    await lost.promise;
    expect(performance.now() - last).toBeGreaterThanOrEqual(FENCE - 5);
    expect(performance.now() - started).toBeGreaterThan(FENCE + 60);
  });

  it('stands as long as heartbeats are accepted, and is gone after the stop', async () => {
    let lost = 0;
    const onLost = () => {
      lost += 1;
    };
    const accepting = fenced(() => Promise.resolve(), onLost);
    const stopped = fenced(() => Promise.reject(new Error('HTTP 503')), onLost);
    accepting.heartbeat.start();
    stopped.heartbeat.start();
    await stopped.heartbeat.stop();
    await systemClock.sleep(3 * FENCE, new AbortController().signal);
    expect(lost).toBe(0);
    await accepting.heartbeat.stop();
  });
});
