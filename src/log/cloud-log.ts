import type { CloudBatch } from './cloud-batch.ts';
import type { CloudLogOptions, CloudLogResult } from './cloud-log-options.ts';
import { CloudQueue, LARGEST_CALL } from './cloud-queue.ts';
import { LineCutter } from './line-cutter.ts';
import { countLines } from './lines.ts';
import type { LineSink, LogBlock } from './sink.ts';

/** Lines of an unhurried call; as many or more in waiting are a backlog. */
const USUAL_LINES = 100;
/** A refused batch of few lines was refused for its bytes: the number of lines is not lowered further. */
const FEWEST_LINES = 10;
/** How many times `maxQueuedBytes` may wait once the log is released. */
const RELEASED_SHARE = 8;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

/**
 * Sends one step's lines to Pulumi Cloud (protocol section 5): in order, each once, one call in flight, about one call a second
 * and back to back while there is a backlog. `end()` must be called.
 */
export class CloudLog implements LineSink {
  readonly #options: CloudLogOptions;
  readonly #interval: number;
  readonly #giveUpMs: number;
  readonly #maxQueuedBytes: number;
  readonly #queue = new CloudQueue();
  #limits = LARGEST_CALL;
  #size = USUAL_LINES;
  #cutter: LineCutter | undefined;
  #result = { sent: 0, undelivered: 0, batches: 0, retries: 0, failures: 0, cut: 0 };
  #lastError: { readonly error: unknown } | undefined;
  #running: Promise<void> | undefined;
  #ending: Promise<CloudLogResult> | undefined;
  #stopped = false;
  #released = false;
  #lastStart = Number.NEGATIVE_INFINITY;
  #failingSince: number | undefined;
  /** The wait the sender is in; `idle`: for lines, or for the time to send them. */
  #nap: { readonly controller: AbortController; readonly idle: boolean } | undefined;
  #call: AbortController | undefined;
  #room: PromiseWithResolvers<void> | undefined;
  readonly #stop = () => this.#halt();

  constructor(options: CloudLogOptions) {
    this.#options = options;
    this.#interval = options.flushIntervalMs ?? 1_000;
    this.#giveUpMs = options.giveUpMs ?? 300_000;
    this.#maxQueuedBytes = options.maxQueuedBytes ?? 4 * 1024 * 1024;
    options.signal.addEventListener('abort', this.#stop, { once: true });
    if (options.signal.aborted) this.#halt();
  }

  /** Queues lines. A promise, which never rejects, means that the queue is full: it resolves when there is room again. */
  write(blocks: readonly LogBlock[]): Promise<void> | void {
    if (this.#stopped || this.#ending !== undefined) {
      for (const { bytes } of blocks) this.#result.undelivered += countLines(bytes);
      return undefined;
    }
    const first = this.#queue.length === 0;
    for (const block of blocks) this.#queue.add(block);
    if (!this.#released && this.#queue.bytes > this.#maxQueuedBytes) this.#room ??= Promise.withResolvers();
    if (this.#released && this.#queue.bytes > this.#maxQueuedBytes * RELEASED_SHARE) this.#halt();
    this.#running ??= this.#run();
    if (this.#nap?.idle && (first || this.#backlog)) this.#nap.controller.abort();
    return this.#room?.promise;
  }

  /** Takes lines without asking for patience from now on; when far too many come, none is sent any more. */
  release(): void {
    this.#released = true;
    this.#makeRoom();
  }

  /** Sends what is left, for `giveUpMs` at most or until `signal` aborts. Never rejects. Another call only adds its signal. */
  async end(signal?: AbortSignal): Promise<CloudLogResult> {
    signal?.addEventListener('abort', this.#stop, { once: true });
    if (signal?.aborted) this.#halt();
    try {
      this.#ending ??= this.#finish();
      return await this.#ending;
    } finally {
      signal?.removeEventListener('abort', this.#stop);
    }
  }

  async #finish(): Promise<CloudLogResult> {
    const timer = setTimeout(this.#stop, this.#giveUpMs);
    this.#nap?.controller.abort();
    try {
      await this.#running;
    } finally {
      clearTimeout(timer);
      this.#options.signal.removeEventListener('abort', this.#stop);
    }
    return { ...this.#result, ...(this.#lastError === undefined ? {} : { lastError: this.#lastError.error }) };
  }

  /** The sender: one loop, so one call at a time. Never rejects. */
  async #run(): Promise<void> {
    while (await this.#due()) await this.#deliver();
    this.#result.undelivered += this.#queue.length;
    this.#queue.drop(this.#queue.length);
    this.#makeRoom();
  }

  /** More is waiting than an unhurried call carries. */
  get #backlog(): boolean {
    return this.#queue.length >= USUAL_LINES || this.#queue.bytes >= this.#limits.bytes || this.#room !== undefined;
  }

  /** Waits until there is something to send and its time has come. False: there never will be. */
  async #due(): Promise<boolean> {
    while (!this.#stopped) {
      const ending = this.#ending !== undefined;
      // A clock that is set back must not stretch the wait.
      const wait = Math.min(this.#interval, this.#lastStart + this.#interval - this.#options.now());
      if (this.#queue.length === 0) {
        if (ending) return false;
        await this.#rest(undefined, true);
      } else if (ending || this.#backlog || wait <= 0) {
        return true;
      } else {
        await this.#rest(wait, true);
      }
    }
    return false;
  }

  /** Sends the next batch until it is accepted, must be made smaller, or sending stops. */
  async #deliver(): Promise<void> {
    const limits = { lines: Math.min(this.#size, this.#limits.lines), bytes: this.#limits.bytes };
    const batch = this.#queue.first(limits, this.#result.sent);
    for (let failures = 1; !this.#stopped; failures++) {
      const answer = await this.#send(batch);
      if (answer === 'accepted') return this.#accepted(batch.length);
      if (answer === 'too-large' && this.#shrink(batch)) return;
      this.#result.failures++;
      if (this.#stopped) return;
      const now = this.#options.now();
      this.#failingSince ??= now;
      const left = this.#failingSince + this.#giveUpMs - now;
      if (left <= 0) return this.#halt();
      const backoff = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS);
      const usual = backoff * (0.5 + (this.#options.random ?? Math.random)() / 2);
      const asked = this.#options.pauseAfter?.(this.#lastError?.error) ?? 0;
      await this.#rest(Math.min(left, Math.max(usual, asked)), false);
      if (!this.#stopped) this.#result.retries++;
    }
  }

  async #send(batch: CloudBatch): Promise<'accepted' | 'too-large' | 'failed'> {
    const call = new AbortController();
    const aborted = Promise.withResolvers<'failed'>();
    call.signal.addEventListener('abort', () => aborted.resolve('failed'), { once: true });
    // Not `sleep`: this limit has to hold even for a clock that a test moves by hand.
    const timer = setTimeout(() => {
      const error = new Error(`Pulumi Cloud gave no answer within ${this.#giveUpMs / 1000} s.`);
      this.#lastError = { error };
      call.abort(error);
    }, this.#giveUpMs);
    this.#call = call;
    this.#lastStart = this.#options.now();
    try {
      return await Promise.race([this.#options.send(batch, call.signal), aborted.promise]);
    } catch (error) {
      this.#lastError = { error };
      return 'failed';
    } finally {
      clearTimeout(timer);
      this.#call = undefined;
    }
  }

  #accepted(count: number): void {
    this.#failingSince = undefined;
    this.#result.sent += count;
    this.#result.batches++;
    if (this.#cutter !== undefined) {
      this.#result.cut++;
      // A line as short as this was refused for what it says: the limits that fell on the way to it say nothing.
      if (this.#cutter.refusedForContent) this.#limits = LARGEST_CALL;
      this.#cutter = undefined;
    }
    this.#queue.drop(count);
    this.#size = this.#queue.length >= USUAL_LINES ? Math.min(this.#size * 2, LARGEST_CALL.lines) : USUAL_LINES;
    if (this.#queue.bytes <= this.#maxQueuedBytes) this.#makeRoom();
  }

  /** Halves what a call may carry, for good, or cuts a line that is too large by itself. False: there is nothing left to make smaller. */
  #shrink(batch: CloudBatch): boolean {
    const { length } = batch;
    const [line] = length === 1 ? batch.lines : [];
    if (line !== undefined) {
      this.#cutter ??= new LineCutter(line);
      if (this.#cutter.exhausted) return false;
      this.#queue.replaceFirst(this.#cutter.next());
    }
    const fewer = length > 1 ? Math.max(FEWEST_LINES, Math.floor(length / 2)) : this.#limits.lines;
    this.#limits = {
      lines: Math.min(this.#limits.lines, fewer),
      bytes: Math.min(this.#limits.bytes, Math.floor(batch.json.length / 2)),
    };
    return true;
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  /** Waits for `milliseconds`, or for ever, unless sending stops, `end()` is called or, when idle, enough lines come. */
  async #rest(milliseconds: number | undefined, idle: boolean): Promise<void> {
    const controller = new AbortController();
    const over = Promise.withResolvers<void>();
    controller.signal.addEventListener('abort', () => over.resolve(), { once: true });
    this.#nap = { controller, idle };
    if (milliseconds !== undefined) {
      this.#options.sleep(milliseconds, controller.signal).then(over.resolve, over.resolve);
    }
    await over.promise;
    this.#nap = undefined;
  }

  /** Sending is over: frees whoever waits; the sender counts what is left. */
  #halt(): void {
    this.#stopped = true;
    this.#call?.abort();
    this.#nap?.controller.abort();
    this.#makeRoom();
  }
}
