/** Lets tests wait for a state without polling: code that changes the state calls `notify`. */
export class Changes {
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  /** Tries every waiting predicate again at once. */
  notify(): void {
    for (const check of [...this.#waiting]) check();
  }

  /** Resolves with the predicate's first truthy value. Throws its error, after `timeoutMs` of real time, or on stop. */
  async waitFor<T>(predicate: () => T, timeoutMs: number, describe: () => string): Promise<NonNullable<T>> {
    const { promise, resolve, reject } = Promise.withResolvers<NonNullable<T>>();
    const fail = (why: string) =>
      reject(new Error(`Failed to see the expected state: ${why}. ${describe()}`));
    const check = () => {
      try {
        const value = predicate();
        if (value instanceof Promise)
          throw new TypeError('Failed to wait: the predicate must not be asynchronous.');
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

  /** Rejects pending waits, and later ones whose state has not come. */
  stop(): void {
    this.#isOver = true;
    this.notify();
  }
}
