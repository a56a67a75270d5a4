import type { Clock } from '../base/clock.ts';
import type { AgentConfig } from '../base/config/agent-config.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import type { RunLog } from '../base/log/level.ts';
import { messageOf } from '../base/outcome.ts';
import { counted, span } from '../base/quantity.ts';
import { doubled } from '../cloud/backoff.ts';
import type { Trial } from '../executor/trial.ts';
import type { JobEnd } from './job/job-end.ts';
import { LONGEST_PAUSE_MS, spread } from './wait.ts';

/** The pause after the first trial that fails; doubled after each, up to LONGEST_PAUSE_MS. */
const FIRST_TRIAL_PAUSE_MS = 5_000;

/** The longest pause before the next claim shows what no trial can. */
const LONGEST_BLIND_PAUSE_MS = 10 * 60_000;

interface ClaimPauseOptions {
  readonly config: Pick<AgentConfig, 'pollingIntervalMs' | 'maxWaitMs'>;
  readonly trial: Trial;
  readonly clock: Clock;
  readonly say: RunLog;
  readonly random: () => number;
  readonly health: { pause(code: ErrorCode | undefined): void; resume(): void };
}

/** The runner's fault that ended the last job. */
interface Due {
  readonly end: JobEnd;
  /** How many jobs in a row have ended by the runner's fault, without one between that got a container. */
  readonly faults: number;
}

/**
 * Keeps an agent that can't run jobs from claiming more of them: each would be lost, as none is handed out twice.
 * After a fault of the executor a trial container has to start; after any other, and after a second one in spite of
 * the trial, the next claim shows whether it is gone, one a pause.
 */
export class ClaimPause {
  readonly #options: ClaimPauseOptions;
  #faults = 0;
  #due: Due | undefined;

  constructor(options: ClaimPauseOptions) {
    this.#options = options;
  }

  /** Notes how a job ended. */
  ended(end: JobEnd): void {
    const isOurs = end.fault === 'executor' || end.fault === 'elsewhere';
    // A job that was refused before it needed anything proves nothing.
    if (!isOurs && end.imageDigest !== undefined) this.#faults = 0;
    if (!isOurs) return;
    this.#faults += 1;
    this.#due = { end, faults: this.#faults };
  }

  /**
   * Resolves once claiming may go on, or `signal` aborts. Throws a trial's failure when `max_wait` is over.
   */
  async over(signal: AbortSignal): Promise<void> {
    const due = this.#due;
    if (due === undefined || signal.aborted) return;
    this.#due = undefined;

    const { clock, say, health } = this.#options;
    const { end, faults } = due;
    const isProvable = end.fault === 'executor';
    const pauseMs = this.#blindMs(faults);
    const began = clock.steady();
    const until = isProvable
      ? 'until a trial container starts'
      : `for ${span(pauseMs)}, then the next deployment shows whether the fault lasts`;
    health.pause(end.code);
    say(
      'warning',
      `Claiming pauses ${until}: the last deployment failed because of a fault of this runner (${end.code}).`,
    );

    try {
      if (!isProvable || faults > 1) await this.#sleep(pauseMs, signal);
      const tries = isProvable ? await this.#proven(end.image, signal) : undefined;
      // Without an image for a trial, the next claim has to be the proof.
      if (isProvable && tries === undefined && faults === 1) await this.#sleep(pauseMs, signal);
      if (signal.aborted) return;

      const how =
        tries === undefined
          ? 'the next deployment shows whether the fault is gone'
          : `${counted(tries, 'trial')} made`;
      say('info', `Claiming resumes after ${span(clock.steady() - began)}: ${how}.`);
    } finally {
      health.resume();
    }
  }

  /** Claims nothing more: waits for `signal`. */
  async forGood(code: ErrorCode, signal: AbortSignal): Promise<void> {
    const { clock, say, health } = this.#options;
    health.pause(code);
    say('warning', `This agent claims nothing more (${code}): correct the cause, then restart it.`);
    while (!signal.aborted) await clock.sleep(LONGEST_BLIND_PAUSE_MS, signal).catch(() => undefined);
  }

  /**
   * Repeats the trial until a container starts. Returns how many it took; undefined if there is no image for one, or
   * `signal` aborts.
   */
  async #proven(image: string | undefined, signal: AbortSignal): Promise<number | undefined> {
    const { trial, clock, say, random, config } = this.#options;
    const { maxWaitMs = Number.POSITIVE_INFINITY } = config;
    const began = clock.steady();

    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        return (await trial(image, signal)) ? tries : undefined;
      } catch (error) {
        if (signal.aborted) break;
        const pauseMs = spread(doubled(FIRST_TRIAL_PAUSE_MS, LONGEST_PAUSE_MS, tries), random);
        if (clock.steady() - began + pauseMs > maxWaitMs) throw error;
        say('debug', `No trial container starts: ${messageOf(error)}`);
        await this.#sleep(pauseMs, signal);
      }
    }

    return undefined;
  }

  #blindMs(faults: number): number {
    const { config, random } = this.#options;
    const { pollingIntervalMs } = config;
    const longest = Math.max(pollingIntervalMs, LONGEST_BLIND_PAUSE_MS);
    return spread(doubled(pollingIntervalMs, longest, faults), random);
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(ms, signal).catch(() => undefined);
  }
}
