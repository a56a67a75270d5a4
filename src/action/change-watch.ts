import { type FSWatcher, watch } from 'node:fs';

/** Longest time between two looks where the file system tells nothing (no inotify, a network file system). */
const POLL_MS = 400;
/** A log that is written line by line is looked at this often, not once a line. */
const SETTLE_MS = 40;

/** Waits for changes in directories, by the file system's own events where they work and by time where they don't. */
export class ChangeWatch implements Disposable {
  readonly #watchers = new Map<string, FSWatcher>();
  #changed = false;
  #wake: (() => void) | undefined;

  /** Adds a directory; one that isn't there yet, or can't be watched, is left to polling and may be added again. */
  add(directory: string): void {
    if (this.#watchers.has(directory)) return;
    try {
      const watcher = watch(directory, { persistent: false }, () => this.#notify());
      watcher.on('error', () => this.#drop(directory));
      this.#watchers.set(directory, watcher);
    } catch {
      // polling it is
    }
  }

  /** Resolves soon after the next change since the last call, after a while without one, or when `signal` aborts. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#changed) await this.#pause(POLL_MS, signal, true);
    await this.#pause(SETTLE_MS, signal, false);
    this.#changed = false;
  }

  [Symbol.dispose](): void {
    for (const directory of [...this.#watchers.keys()]) this.#drop(directory);
  }

  #notify(): void {
    this.#changed = true;
    this.#wake?.();
  }

  #drop(directory: string): void {
    this.#watchers.get(directory)?.close();
    this.#watchers.delete(directory);
  }

  async #pause(ms: number, signal: AbortSignal, wakes: boolean): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end, { once: true });
      if (wakes) this.#wake = end;
    });
  }
}
