/** Something that changes again and again, for those who wait for the next time. */
export class Change {
  readonly #waiting = new Set<() => void>();
  #version = 0;

  /** Another number after each change. */
  get version(): number {
    return this.#version;
  }

  /** It has changed. */
  tell(): void {
    this.#version += 1;
    for (const wake of this.#waiting) wake();
  }

  /** Resolves as soon as `version` is another than the one given, or `signal` aborts. */
  async after(version: number, signal: AbortSignal): Promise<void> {
    if (this.#version !== version || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    await promise;
    signal.removeEventListener('abort', wake);
    this.#waiting.delete(wake);
  }
}
