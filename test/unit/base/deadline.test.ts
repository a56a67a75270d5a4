import { describe, expect, it } from 'vitest';
import { NEVER } from '../../../src/base/clock.ts';
import { DeadlineError, within } from '../../../src/base/deadline.ts';

describe('within', () => {
  it('passes on what comes in time, be it a value or an error', async () => {
    expect(await within(1_000, NEVER, async () => 7)).toBe(7);
    await expect(within(1_000, NEVER, () => Promise.reject(new Error('own')))).rejects.toThrow('own');
  });

  it('ends a call that ignores its signal', async () => {
    let inner: AbortSignal | undefined;
    const waiting = within(10, NEVER, (signal) => {
      inner = signal;
      return new Promise(() => undefined);
    });
    await expect(waiting).rejects.toBeInstanceOf(DeadlineError);
    expect(inner?.aborted).toBe(true);
  });

  it('ends with the reason of its signal, even before it begins', async () => {
    const stop = new AbortController();
    const waiting = within(10_000, stop.signal, () => new Promise(() => undefined));
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    let called = false;
    await expect(
      within(10, stop.signal, async () => {
        called = true;
      }),
    ).rejects.toThrow('enough');
    expect(called).toBe(false);
  });
});
