/** Lets tests wait for a state without polling: what changes the state says so here. */
export class Changes {
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  /** Says that something changed; every waiting predicate is tried again at once. */
  notify(): void {
    for (const check of [...this.#waiting]) check();
  }

  /** Resolves with the predicate's first truthy result. Throws after `timeoutMs` of real time, at the stop, and what the predicate throws. */
  async waitFor<T>(predicate: () => T, timeoutMs: number, describe: () => string): Promise<NonNullable<T>> {
    const { promise, resolve, reject } = Promise.withResolvers<NonNullable<T>>();
    const fail = (why: string) => reject(new Error(`Failed to see the expected state: ${why}. ${describe()}`));
    const check = () => {
      try {
        const value = predicate();
        if (value instanceof Promise) throw new TypeError('Failed to wait: the predicate must not be asynchronous.');
        if (value) resolve(value);
        else if (this.#isOver) fail('there is nothing more to come');
      } catch (error) {
        reject(error);
      }
    };
    const timer = setTimeout(() => fail(`not within ${timeoutMs} ms`), timeoutMs);
    this.#waiting.add(check);
    check();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(check);
    }
  }

  /** Rejects what still waits, and what waits from now on for what hasn't come. */
  stop(): void {
    this.#isOver = true;
    this.notify();
  }
}
