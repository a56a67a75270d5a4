/** A pull in flight. Whoever waits for it keeps it alive; the last one to leave ends it. */
interface Running {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
  readonly listeners: Set<(line: string) => Promise<void>>;
  waiting: number;
}

/** Pulls that began before a job asked for them, each by its image's full name. */
export class Prepulls {
  readonly #running = new Map<string, Running>();

  /**
   * Runs `pull` unless it runs already, until `signal` aborts; it goes on then where a job has come to wait for it. Rejects with what
   * `pull` throws, or the signal's reason.
   */
  async run(
    name: string,
    pull: (progress: (line: string) => Promise<void>, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const running = this.#running.get(name) ?? this.#begin(name, pull);
    await wait(running, signal);
  }

  /** Waits for a pull that runs, telling its lines to `progress`. False when none runs, or when it failed. */
  async join(name: string, progress: (line: string) => Promise<void>, signal: AbortSignal): Promise<boolean> {
    const running = this.#running.get(name);
    if (running === undefined) return false;
    // Counted before the first await: whoever began it may be leaving.
    const done = wait(running, signal).then(
      () => true,
      () => false,
    );
    running.listeners.add(progress);
    try {
      await progress('Its pull began while the agent waited for work: waiting for the end of it.');
      return await done;
    } finally {
      running.listeners.delete(progress);
      signal.throwIfAborted();
    }
  }

  /** Ends every pull but that of `name`: the network is the job's now. */
  endOthers(name?: string): void {
    for (const [other, { abort }] of this.#running)
      if (other !== name) abort.abort(new Error('a job needs the network'));
  }

  #begin(
    name: string,
    pull: (progress: (line: string) => Promise<void>, signal: AbortSignal) => Promise<void>,
  ): Running {
    const abort = new AbortController();
    const listeners = new Set<(line: string) => Promise<void>>();
    const progress = async (line: string) => {
      // A job that can't take its lines has its own trouble.
      for (const listener of listeners) await listener(line).catch(() => undefined);
    };
    const ended = pull(progress, abort.signal).finally(() => this.#running.delete(name));
    const running: Running = { abort, ended, listeners, waiting: 0 };
    this.#running.set(name, running);
    return running;
  }
}

async function wait(running: Running, signal: AbortSignal): Promise<void> {
  running.waiting += 1;
  const left = Promise.withResolvers<never>();
  const onAbort = () => left.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await Promise.race([running.ended, left.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    running.waiting -= 1;
    if (running.waiting === 0) running.abort.abort(signal.reason);
    // Where all have left nobody hears of its end.
    running.ended.catch(() => undefined);
  }
}
