import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { CloudUnreachableError } from '../../../src/cloud/errors.ts';
import { Lease } from '../../../src/job/lease.ts';

/** As an aborted call behaves. */
const hang = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

describe('the fence', () => {
  const FENCE = 600;
  const fenced = (beat: (count: number, signal: AbortSignal) => Promise<void>, onLost: () => void) => {
    let beats = 0;
    const lease = new Lease({
      clock: systemClock,
      beat: (signal) => {
        beats += 1;
        return beat(beats, signal);
      },
      onAccepted: () => undefined,
      onGone: () => undefined,
      onFailure: () => undefined,
      onLost,
      fenceMs: FENCE,
      intervalMs: 20,
      retryMs: 20,
    });
    onTestFinished(() => lease.stop());
    return { lease, count: () => beats };
  };

  it('falls when nothing is accepted in time', async () => {
    const lost = Promise.withResolvers<void>();
    const started = performance.now();
    const { lease, count } = fenced(() => Promise.reject(new CloudUnreachableError('down')), lost.resolve);
    lease.start();
    await lost.promise;
    expect(performance.now() - started).toBeGreaterThanOrEqual(FENCE - 5);
    expect(count()).toBeGreaterThan(1);
  });

  it('falls even when a heartbeat hangs', async () => {
    const lost = Promise.withResolvers<void>();
    const { lease, count } = fenced((_, signal) => hang(signal), lost.resolve);
    lease.start();
    await lost.promise;
    expect(count()).toBe(1);
  });

  it('falls for a refusal as for silence, and later than that when some were accepted', async () => {
    const lost = Promise.withResolvers<void>();
    const started = performance.now();
    let last = 0;
    const { lease } = fenced((count) => {
      if (count > 5) return Promise.reject(new Error('HTTP 403'));
      last = performance.now();
      return Promise.resolve();
    }, lost.resolve);
    lease.start();
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
    accepting.lease.start();
    stopped.lease.start();
    await stopped.lease.stop();
    await systemClock.sleep(3 * FENCE, new AbortController().signal);
    expect(lost).toBe(0);
    await accepting.lease.stop();
  });
});

describe('the hand-over', () => {
  /** When the thread is told to send its first heartbeat, milliseconds from then. */
  const handedOver = async (beat: (signal: AbortSignal) => Promise<void>): Promise<number> => {
    const begun = Promise.withResolvers<number>();
    const lease = new Lease({
      clock: systemClock,
      beat,
      onAccepted: () => undefined,
      onGone: () => undefined,
      onFailure: () => undefined,
      onLost: () => undefined,
      handOverMs: 50,
      intervalMs: 30_000,
      retryMs: 5_000,
      thread: async () => ({
        lastAccepted: 0,
        ready: () => Promise.resolve(),
        begin: begun.resolve,
        failure: (signal) => hang(signal) as Promise<never>,
        stop: () => Promise.resolve(),
      }),
    });
    onTestFinished(() => lease.stop());
    lease.start();
    return begun.promise;
  };

  it('keeps to the interval behind a heartbeat that was accepted', async () => {
    const inMs = await handedOver(() => Promise.resolve());
    expect(inMs).toBeGreaterThan(20_000);
    expect(inMs).toBeLessThan(30_000);
  });

  it.each([
    ['was refused', () => Promise.reject(new CloudUnreachableError('HTTP 503'))],
    ['is still on its way', hang],
  ])('sends one at once when the first %s', async (_, beat) => {
    expect(await handedOver(beat)).toBe(0);
  });
});
