import type { Clock } from '../clock.ts';
import type { PollResult } from '../cloud/deployments.ts';
import { CloudRefusedError, CloudUnreachableError } from '../cloud/errors.ts';
import type { Claim } from '../cloud/wire.ts';

/** Jitter as a share of each wait, so that agents that were started together spread out. */
const JITTER = 0.1;
/** Milliseconds: no answer, such as a date that our clock has passed, makes us poll without a pause. */
const SHORTEST_PAUSE_MS = 1_000;

export interface WaitingOptions {
  readonly poll: (signal: AbortSignal, noMoreTries: AbortSignal) => Promise<PollResult>;
  /** True while the circuit breaker holds all calls back. */
  readonly broken: () => boolean;
  readonly pollingIntervalMs: number;
  /** Ignore what Pulumi Cloud asks for by `Retry-After`. */
  readonly pollingIntervalOverride: boolean;
  /** Milliseconds; for ever when absent, one poll when 0. */
  readonly maxWaitMs?: number;
  /** A single run ends when Pulumi Cloud can't be reached; a lasting agent tries on. */
  readonly singleRun: boolean;
  readonly clock: Clock;
  /** Aborts when nothing more may be claimed. */
  readonly drain: AbortSignal;
  readonly onAnswer: () => void;
  readonly onWait: (polls: number, nextPollSeconds: number) => void;
  readonly onFailure: (error: Error) => void;
  readonly random: () => number;
}

/** Why waiting ended. */
export type Waited = { readonly claim: Claim } | { readonly ended: 'no-work' | 'drained' };

/** Polls until there is work, time is up, or nothing more may be claimed. Throws AuthError, CloudUnreachableError. */
export async function waitForWork(options: WaitingOptions): Promise<Waited> {
  const { clock, drain, maxWaitMs = Number.POSITIVE_INFINITY, random } = options;
  const started = clock.steady();
  // Nothing aborts a poll in flight: its answer may be a claim. Its deadline ends it.
  const never = new AbortController().signal;
  for (let polls = 1; !drain.aborted; polls += 1) {
    let result: PollResult = {};
    let failure: CloudUnreachableError | CloudRefusedError | undefined;
    try {
      result = await options.poll(never, drain);
      options.onAnswer();
    } catch (error) {
      if (drain.aborted) break;
      if (!(error instanceof CloudUnreachableError || error instanceof CloudRefusedError)) throw error;
      failure = error;
      options.onFailure(error);
      if (options.singleRun && options.broken()) throw error;
    }
    if (result.claim !== undefined) return { claim: result.claim };
    const said = result.retryAfterMs ?? failure?.retryAfterMs;
    const asked = options.pollingIntervalOverride || said === undefined ? undefined : Math.max(said, SHORTEST_PAUSE_MS);
    const left = maxWaitMs - (clock.steady() - started);
    const wait = (asked ?? options.pollingIntervalMs) * (1 + JITTER * random());
    // The last poll falls on the end of the wait, unless Pulumi Cloud asked us to stay away for longer than that.
    if (left <= 0 || (asked !== undefined && asked > left)) {
      if (failure !== undefined) throw failure;
      return { ended: 'no-work' };
    }
    const pause = Math.min(wait, left);
    options.onWait(polls, pause / 1000);
    await clock.sleep(pause, drain).catch(() => undefined);
  }
  return { ended: 'drained' };
}
