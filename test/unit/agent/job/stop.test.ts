import { describe, expect, it } from 'vitest';
import { StopRequested, StopSource } from '../../../../src/agent/job/stop.ts';
import { startTimer, systemClock } from '../../../../src/base/clock.ts';

describe('a stop', () => {
  it('keeps its first reason, which its signal carries', () => {
    const source = new StopSource();
    expect({ stop: source.stop, aborted: source.signal.aborted }).toEqual({
      stop: undefined,
      aborted: false,
    });
    const seen: unknown[] = [];
    source.signal.addEventListener('abort', () => seen.push(source.stop));
    source.request({ by: 'cloud', reason: 'cancelled' });
    source.request({ by: 'signal', reason: 'interrupted' });
    expect(source.stop).toEqual({ by: 'cloud', reason: 'cancelled' });
    expect(seen).toEqual([{ by: 'cloud', reason: 'cancelled' }]);
    const reason: unknown = source.signal.reason;
    expect(reason).toBeInstanceOf(StopRequested);
    expect(reason).toMatchObject({ message: 'cancelled', stop: { by: 'cloud' } });
  });

  it('can become harsher but never milder', () => {
    const source = new StopSource();
    const lease = (endBy: number) => source.request({ by: 'lease', reason: 'no heartbeat', endBy });
    source.request({ by: 'cloud', reason: 'cancelled' });
    expect(source.endBy).toBe(Number.POSITIVE_INFINITY);
    lease(2_000);
    lease(3_000);
    source.request({ by: 'signal', reason: 'interrupted' });
    expect({ endBy: source.endBy, by: source.stop?.by }).toEqual({ endBy: 2_000, by: 'cloud' });
    lease(1_000);
    expect(source.endBy).toBe(1_000);
  });

  it('comes from the shutdown too, and the first of both counts', () => {
    const interrupt = new AbortController();
    const shutdown = { interrupted: interrupt.signal, reportsAbandoned: AbortSignal.abort() };
    const [running, cancelled] = [new StopSource(shutdown), new StopSource(shutdown)];
    cancelled.request({ by: 'cloud', reason: 'cancelled' });
    expect(running.stop).toBeUndefined();
    interrupt.abort(new StopRequested({ by: 'signal', reason: 'interrupted' }));
    running.request({ by: 'cloud', reason: 'cancelled' });
    expect(running.stop?.by).toBe('signal');
    expect(cancelled.stop?.by).toBe('cloud');
    expect(new StopSource(shutdown).stop?.by).toBe('signal');
    expect(running.reportsAbandoned.aborted).toBe(true);
  });
});

describe('the machine’s clock', () => {
  const never = new AbortController().signal;

  it('sleeps, and is woken by an abort with its reason', async () => {
    const started = performance.now();
    await systemClock.sleep(50, never);
    expect(performance.now() - started).toBeGreaterThanOrEqual(48);
    const controller = new AbortController();
    const reason = new Error('enough');
    const sleep = systemClock.sleep(60_000, controller.signal);
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
    await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it.each([2 ** 31, 1e13, Number.POSITIVE_INFINITY])('does not take %d ms for zero', async (ms) => {
    const controller = new AbortController();
    const sleep = systemClock.sleep(ms, controller.signal).then(
      () => 'woke',
      () => 'aborted',
    );
    await systemClock.sleep(30, never);
    controller.abort();
    expect(await sleep).toBe('aborted');
  });

  it('has deadlines that expire, are cleared, never come, or lie beyond any timer', async () => {
    const expired: string[] = [];
    const first = Promise.withResolvers<void>();
    startTimer(20, () => {
      expired.push('first');
      first.resolve();
    });
    startTimer(10, () => expired.push('cleared')).clear();
    const others = [undefined, 2 ** 40].map((ms) => startTimer(ms, () => expired.push('too early')));
    await first.promise;
    await systemClock.sleep(20, never);
    for (const other of others) other.clear();
    expect(expired).toEqual(['first']);
  });
});
