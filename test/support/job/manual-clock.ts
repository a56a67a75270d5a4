import type { Clock } from '../../../src/base/clock.ts';

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Time that moves only when a test says so. */
export class ManualClock implements Clock {
  /** Milliseconds on the steady clock, and how far ahead the wall clock is. */
  #steady = 5_000;
  #ahead: number;
  readonly #sleepers = new Set<Sleeper>();
  readonly #watchers = new Set<() => void>();
  /** Every sleep that was requested, in milliseconds. */
  readonly sleeps: number[] = [];

  constructor(now = Date.parse('2026-06-18T10:00:00Z')) {
    this.#ahead = now - this.#steady;
  }

  now(): number {
    return this.#steady + this.#ahead;
  }

  steady(): number {
    return this.#steady;
  }

  /** Moves only the wall clock, forward (as after a suspension) or back. */
  set(ms: number): void {
    this.#ahead += ms;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.sleeps.push(ms);
    if (signal.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = (settle: () => void) => () => {
      this.#sleepers.delete(sleeper);
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    const sleeper = { until: this.#steady + ms, wake: end(resolve) };
    const onAbort = end(() => reject(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    this.#sleepers.add(sleeper);
    for (const watch of [...this.#watchers]) watch();
    return promise;
  }

  /** How many callers sleep now. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Resolves as soon as a caller sleeps. */
  async asleep(): Promise<void> {
    while (this.#sleepers.size === 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#watchers.add(resolve);
      await promise;
      this.#watchers.delete(resolve);
    }
  }

  /** Advances time without waking sleepers, as if work had taken that long. */
  pass(ms: number): void {
    this.#steady += ms;
  }

  /** Advances time; sleepers due by then wake in order, and may sleep again meanwhile. */
  async advance(ms: number): Promise<void> {
    const end = this.#steady + ms;
    for (;;) {
      const [next] = [...this.#sleepers].toSorted((a, b) => a.until - b.until);
      if (next === undefined || next.until > end) break;
      this.#steady = Math.max(this.#steady, next.until);
      next.wake();
      await settled();
    }
    this.#steady = end;
    await settled();
  }

  /** Waits until a caller sleeps and nothing else is pending, then advances to its wake-up. Returns by how much. */
  async next(): Promise<number> {
    await this.asleep();
    await settled();
    const [next] = [...this.#sleepers].toSorted((a, b) => a.until - b.until);
    const ms = Math.max(0, (next?.until ?? this.#steady) - this.#steady);
    await this.advance(ms);
    return ms;
  }
}

/** Lets everything run that waits only for its turn. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
