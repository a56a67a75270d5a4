import type { CloudBatch } from './cloud-batch.ts';

export interface CloudLogOptions {
  /**
   * Sends one batch. `too-large`: the same lines must not come again in one piece. A rejection means: send the same again.
   * Once `signal` aborts, its result is not waited for.
   */
  readonly send: (batch: CloudBatch, signal: AbortSignal) => Promise<'accepted' | 'too-large'>;
  /** Waits; may reject or resolve when `signal` aborts. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds since whenever. */
  readonly now: () => number;
  /** Milliseconds that must pass after such a failure, should it ask for more than the usual wait. */
  readonly pauseAfter?: (error: unknown) => number;
  /** Ends the sending for good: whatever is not accepted by then is undelivered. */
  readonly signal: AbortSignal;
  /** Milliseconds from one call to the next while there is no backlog. */
  readonly flushIntervalMs?: number;
  /** Milliseconds without success, from the first failure on, after which sending stops for good; the limit of one call and of `end()` too. */
  readonly giveUpMs?: number;
  /** Bytes of JSON in waiting from which on `write()` asks for patience. */
  readonly maxQueuedBytes?: number;
  /** A number from 0 up to 1 that spreads the retries. */
  readonly random?: () => number;
}

/** What became of a step's lines. Parts of a long line count as lines here. */
export interface CloudLogResult {
  readonly sent: number;
  readonly undelivered: number;
  /** Calls that were accepted. */
  readonly batches: number;
  /** Calls that repeated a failed one. */
  readonly retries: number;
  /** Calls that failed: no answer, or a refusal that was not for their size. */
  readonly failures: number;
  /** Lines that were accepted only after they had been shortened. */
  readonly cut: number;
  /** The last failure of a call. */
  readonly lastError?: unknown;
}
