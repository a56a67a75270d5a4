import { type Clock, NEVER } from '../base/clock.ts';
import type { Outage } from '../base/log/outage.ts';
import { doubled } from '../cloud/backoff.ts';
import {
  CloudRefusedError,
  CloudUnreachableError,
  LostClaimError,
  UnreadableClaimError,
} from '../cloud/errors.ts';
import type { Claim } from '../cloud/job-wire.ts';
import type { PollResult } from '../cloud/pool-api.ts';
import { endsLastingAgent } from './runs/end.ts';

/** The least, so that no answer, such as a Retry-After date in the past, makes us poll without a pause. */
const SHORTEST_PAUSE_MS = 1_000;

/** True for a failure after which a lasting agent must not poll again. */
function endsClaiming(failure: unknown): boolean {
  return failure instanceof UnreadableClaimError || endsLastingAgent(failure);
}

/** The longest pause between retries of a lasting failure. */
export const LONGEST_PAUSE_MS = 5 * 60_000;

/** Jitter as a share of each pause, so that agents started together spread out. */
const JITTER = 0.1;

/** Lost answers in a row that end a single run's claiming: a deployment may be lost with each. */
const MOST_LOST = 2;

/** `ms` plus up to a tenth; `random` returns a number from 0 up to 1. */
export function spread(ms: number, random: () => number): number {
  return ms * (1 + JITTER * random());
}

export interface WaitOptions {
  readonly pollingIntervalMs: number;
  /** Pulumi Cloud's own pauses don't count. */
  readonly pollingIntervalOverride: boolean;
  /** No limit when absent. */
  readonly maxWaitMs: number | undefined;
  readonly singleRun: boolean;
  readonly poll: (signal: AbortSignal, noMoreTries: AbortSignal) => Promise<PollResult>;
  /**
   * Asks whether the place where jobs run answers, without which nothing may be claimed. Throws if
   * it doesn't.
   */
  readonly probe: (signal: AbortSignal) => Promise<void>;

  /** True while the circuit breaker is open: a poll then fails at once, without a request. */
  readonly isHeldBack: () => boolean;

  /**
   * A single run also keeps polling while Pulumi Cloud can't be reached, and its wait starts over
   * afterwards.
   */
  readonly outlastsOutages?: boolean | undefined;

  /** Called before each poll; may abort `drain`. Never rejects. */
  readonly beforePoll?: (() => Promise<void>) | undefined;
  readonly clock: Clock;
  /** Aborts when nothing more may be claimed. */
  readonly drain: AbortSignal;
  readonly outage: Outage;
  /** Of the place where jobs run. */
  readonly placeOutage: Outage;
  /** Notes each answer. */
  readonly health: { active(): void };
  readonly onWait: (polls: number, nextPollSeconds: number) => void;
  readonly random: () => number;
}

export type WaitEnd = { readonly claim: Claim } | { readonly ended: 'no-work' | 'drained' };

interface Polled {
  readonly result?: PollResult;
  readonly failure?: unknown;
}

/**
 * Waits for work between jobs. A pause that Pulumi Cloud asked for in one wait carries over into
 * the next.
 */
export class Wait {
  readonly #options: WaitOptions;
  /** No poll before this time of the steady clock, as Pulumi Cloud asked. */
  #notBefore = Number.NEGATIVE_INFINITY;
  /** Consecutive refusals by Pulumi Cloud or failures of our own; outages don't count. */
  #refusals = 0;
  /** Polls whose answers were lost since the last that arrived. */
  #lost = 0;

  constructor(options: WaitOptions) {
    this.#options = options;
  }

  /**
   * Polls until there is work, the time is up, or nothing may be claimed. Throws the last failure
   * if the time is up, and at once an error that no retry can fix.
   */
  async forWork(): Promise<WaitEnd> {
    const {
      clock,
      drain,
      maxWaitMs = Number.POSITIVE_INFINITY,
      pollingIntervalMs,
      onWait,
      beforePoll,
      outlastsOutages,
    } = this.#options;

    // The rest of an earlier pause doesn't count against this wait, unless it is out of all
    // proportion to it.
    const rest = this.#requestedMs();
    if (rest > Math.max(maxWaitMs, LONGEST_PAUSE_MS)) return { ended: 'no-work' };

    await this.#sleep(rest);

    let started = clock.steady();
    for (let polls = 0; !drain.aborted; ) {
      await beforePoll?.();
      if (drain.aborted) break;

      const away = await this.#away();
      if (drain.aborted) break;

      const { result, failure } = away ?? (await this.#poll());
      if (result?.claim !== undefined) return { claim: result.claim };
      if (drain.aborted) break;

      const outlasts = outlastsOutages === true && failure instanceof CloudUnreachableError;
      if (outlasts) started = clock.steady();

      const requestedMs = this.#requestedMs();
      const leftMs = maxWaitMs - (clock.steady() - started);

      // A deployment that the lost answer handed out must not be followed by another at once.
      const leastMs =
        failure instanceof LostClaimError ? Math.max(requestedMs, pollingIntervalMs) : requestedMs;

      // The last poll comes at the end of the wait, unless a longer pause is due.
      if (!outlasts && (leftMs <= 0 || leastMs > leftMs)) {
        if (result === undefined) throw failure;
        return { ended: 'no-work' };
      }

      const pause = Math.min(this.#pauseMs(leastMs), outlasts ? LONGEST_PAUSE_MS : leftMs);
      if (away === undefined) {
        polls += 1;
        onWait(polls, pause / 1000);
      }

      await this.#sleep(pause);
    }

    return { ended: 'drained' };
  }

  /** Why the place where jobs run can't be used; undefined if it answers. */
  async #away(): Promise<Polled | undefined> {
    const { probe, placeOutage, drain } = this.#options;
    try {
      await probe(drain);
      placeOutage.over();
      return undefined;
    } catch (failure) {
      if (!drain.aborted) placeOutage.failed(failure);
      return { failure };
    }
  }

  async #poll(): Promise<Polled> {
    const { poll, drain, outage, health, singleRun, outlastsOutages, isHeldBack } = this.#options;
    try {
      // A poll in flight is never aborted, because its answer may be a claim; its own deadline ends
      // it.
      const result = await poll(NEVER, drain);
      this.#answered(result.retryAfterMs);
      this.#refusals = 0;
      this.#lost = 0;
      health.active();
      outage.over();

      return { result };
    } catch (failure) {
      const isLost = failure instanceof LostClaimError;
      if (isLost) this.#lost += 1;
      // Also while draining, and in the middle of an outage: a deployment may be lost with it.
      if (isLost) outage.failed(failure, { isNews: this.#lost === 1 });
      // Nothing else would say so while the agent ends.
      if (drain.aborted && failure instanceof UnreadableClaimError) outage.failed(failure, { isNews: true });
      if (drain.aborted) return { failure };

      const hasAnswer = failure instanceof CloudUnreachableError || failure instanceof CloudRefusedError;
      if (singleRun ? !hasAnswer : endsClaiming(failure)) throw failure;

      this.#answered(hasAnswer ? failure.retryAfterMs : undefined);
      this.#refusals = failure instanceof CloudUnreachableError ? 0 : this.#refusals + 1;
      if (!isLost) outage.failed(failure);
      if (singleRun && !outlastsOutages && isHeldBack()) throw failure;
      if (singleRun && this.#lost >= MOST_LOST) throw failure;

      return { failure };
    }
  }

  #answered(retryAfterMs: number | undefined): void {
    const { clock, pollingIntervalOverride } = this.#options;
    const isAsked = retryAfterMs !== undefined && !pollingIntervalOverride;
    this.#notBefore = isAsked
      ? clock.steady() + Math.max(retryAfterMs, SHORTEST_PAUSE_MS)
      : Number.NEGATIVE_INFINITY;
  }

  /** The rest of the pause that Pulumi Cloud asked for. */
  #requestedMs(): number {
    return Math.max(0, this.#notBefore - this.#options.clock.steady());
  }

  #pauseMs(requestedMs: number): number {
    const { pollingIntervalMs, singleRun, random } = this.#options;
    const failures = singleRun ? 1 : Math.max(1, this.#refusals);
    const usual = doubled(pollingIntervalMs, Math.max(pollingIntervalMs, LONGEST_PAUSE_MS), failures);
    return spread(requestedMs > 0 ? requestedMs : usual, random);
  }

  async #sleep(ms: number): Promise<void> {
    if (ms > 0) await this.#options.clock.sleep(ms, this.#options.drain).catch(() => undefined);
  }
}
