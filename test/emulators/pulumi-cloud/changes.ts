/** Nothing met the predicate in time; the message tells what was there instead. */
export class WaitTimeoutError extends Error {
  constructor(timeoutMs: number, state: string) {
    super(`Failed to see the expected state of the Pulumi Cloud emulator within ${timeoutMs} ms. ${state}`);
    this.name = 'WaitTimeoutError';
  }
}

/** The emulator was stopped while something waited for a change. */
export class StoppedError extends Error {
  constructor() {
    super('Failed to wait for the Pulumi Cloud emulator: it was stopped.');
    this.name = 'StoppedError';
  }
}

interface Waiter {
  check(): void;
  fail(error: Error): void;
}

/** Lets tests wait for a state without polling: whoever changes the state says so here. */
export class Changes {
  readonly #waiters = new Set<Waiter>();

  /** Says that something changed; every waiting predicate is tried again at once. */
  notify(): void {
    for (const waiter of [...this.#waiters]) waiter.check();
  }

  /**
   * Resolves with the predicate's first truthy result.
   * @param timeoutMs milliseconds of real time.
   * @param describe called for the error message when the time is over.
   * @throws WaitTimeoutError, StoppedError, or what the predicate throws.
   */
  waitFor<T>(predicate: () => T, timeoutMs: number, describe: () => string): Promise<NonNullable<T>> {
    const { promise, resolve, reject } = Promise.withResolvers<NonNullable<T>>();
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
      finish();
    };
    const waiter: Waiter = {
      check: () => {
        try {
          const value = predicate();
          if (value instanceof Promise) throw new TypeError('Failed to wait: the predicate must not be asynchronous.');
          if (value) settle(() => resolve(value));
        } catch (error) {
          settle(() => reject(error));
        }
      },
      fail: (error) => settle(() => reject(error)),
    };
    const timer = setTimeout(() => waiter.fail(new WaitTimeoutError(timeoutMs, describe())), timeoutMs);
    this.#waiters.add(waiter);
    waiter.check();
    return promise;
  }

  /** Rejects whatever still waits. */
  stop(): void {
    for (const waiter of [...this.#waiters]) waiter.fail(new StoppedError());
  }
}
