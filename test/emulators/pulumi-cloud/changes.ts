/** Lets tests wait for a state without polling: what changes the state says so here. */
export class Changes {
  readonly #waiting = new Set<{ readonly check: () => void; readonly fail: (error: Error) => void }>();

  /** Says that something changed; every waiting predicate is tried again at once. */
  notify(): void {
    for (const { check } of [...this.#waiting]) check();
  }

  /** Resolves with the predicate's first truthy result. Throws after `timeoutMs` of real time, at the emulator's stop, and what the predicate throws. */
  async waitFor<T>(predicate: () => T, timeoutMs: number, describe: () => string): Promise<NonNullable<T>> {
    const { promise, resolve, reject } = Promise.withResolvers<NonNullable<T>>();
    const check = () => {
      try {
        const value = predicate();
        if (value instanceof Promise) throw new TypeError('Failed to wait: the predicate must not be asynchronous.');
        if (value) resolve(value);
      } catch (error) {
        reject(error);
      }
    };
    const late = () => reject(new Error(`Failed to see the expected state within ${timeoutMs} ms. ${describe()}`));
    const timer = setTimeout(late, timeoutMs);
    const waiting = { check, fail: reject };
    this.#waiting.add(waiting);
    check();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(waiting);
    }
  }

  /** Rejects whatever still waits. */
  stop(): void {
    for (const { fail } of [...this.#waiting])
      fail(new Error('Failed to wait for the Pulumi Cloud emulator: it was stopped.'));
  }
}
