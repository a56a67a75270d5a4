import type { Clock } from '../base/clock.ts';
import type { AgentConfig } from '../base/config/agent-config.ts';
import { defined } from '../base/defined.ts';
import type { Log, RunLog } from '../base/log/level.ts';
import { Outage } from '../base/log/outage.ts';
import { messageOf, OutcomeError } from '../base/outcome.ts';
import { doubled } from '../cloud/backoff.ts';
import type { TokenSource } from '../cloud/token.ts';
import { type Executor, ExecutorUnavailableError } from '../executor/executor.ts';
import { containerSettings } from '../executor/targets.ts';
import type { Trial } from '../executor/trial.ts';
import type { RecordEventBody } from '../record/schema.ts';
import type { Health } from './health/health.ts';
import { endsLastingAgent } from './runs/end.ts';
import { LONGEST_PAUSE_MS, spread } from './wait.ts';

/** Time before a lasting agent's first retry. */
const FIRST_PAUSE_MS = 5_000;

/** How long an engine may take to start beside us, such as a sidecar of the CI job. */
const START_MS = 60_000;

/** Time between looks at a starting engine. */
const START_PAUSE_MS = 1_000;

/** The executor as the subject of a sentence about its outage. */
export const PLACE = 'The place where jobs run';

interface ReadinessOptions {
  readonly config: AgentConfig;
  readonly executor: Executor;
  readonly trial: Trial;
  readonly tokens: TokenSource;
  readonly clock: Clock;
  readonly health: Health;
  readonly log: Log;
  readonly event: (event: RecordEventBody) => void;
  readonly say: RunLog;
  readonly random: () => number;
  /** Aborts when nothing more may be claimed. */
  readonly drain: AbortSignal;
}

/**
 * Checks everything that a claim needs before polling, because a claim is never delivered twice.
 */
export class Readiness {
  readonly #options: ReadinessOptions;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /**
   * Checks it all once; a lasting agent retries for up to `max_wait`, a single run for a minute
   * while the engine may be starting. Throws the failure, or OutcomeError `interrupted` for a single
   * run that was asked to stop.
   */
  async prove(): Promise<void> {
    const { config, health, clock, tokens, executor, drain, log, event } = this.#options;
    const url = await health.listen(config.httpServerPort, config.httpServerAddress);

    log('info', `Health is served at ${url}.`);
    event({ type: 'health-listening', url });

    // With a forbidden image, every job would be refused.
    if (config.image !== undefined) containerSettings(config).policy?.(config.image);

    const since = clock.steady();
    await this.#untilProved('Signing in to Pulumi Cloud', since, async () => {
      await tokens.get(drain);
      event({ type: 'authenticated', method: tokens.method, ...defined({ expiresAt: tokens.expiresAt }) });
    });

    await this.#untilProved(PLACE, since, async () => {
      const detail = await executor.check(drain);
      log('info', detail);
      // A machine that can't start containers would lose a claim after each start of an agent. In a cluster the check
      // has tried a pod.
      if (config.deployTarget === 'docker') await this.#tryContainer();
      event({ type: 'target-ready', target: executor.name, detail });
    });
  }

  async #tryContainer(): Promise<void> {
    const { trial, drain, log } = this.#options;
    const isProven = await trial(undefined, drain);
    log('debug', isProven ? 'A trial container started.' : 'No image for a trial container is here.');
  }

  /** `max_wait` counts from `since`. */
  async #untilProved(what: string, since: number, prove: () => Promise<void>): Promise<void> {
    const { config, clock, say, drain, random } = this.#options;
    const { singleRun, maxWaitMs = Number.POSITIVE_INFINITY } = config;
    const outage = new Outage(what, { clock, say });
    const began = clock.steady();
    let isAwaited = false;

    for (let tries = 1; ; tries += 1) {
      const [proof] = await Promise.allSettled([prove()]);
      if (drain.aborted && !singleRun) return;

      if (drain.aborted) {
        const message = 'The agent was asked to stop before it was ready.';
        throw new OutcomeError('interrupted', message, { code: 'PRA-JOB-05' });
      }

      if (proof.status === 'fulfilled') return outage.over();

      const { reason } = proof;
      const mayBeStarting = reason instanceof ExecutorUnavailableError && reason.mayBeStarting;
      const startLeft = mayBeStarting ? began + START_MS - clock.steady() : 0;

      if (singleRun && startLeft > 0) {
        if (!isAwaited)
          say(
            'info',
            `Waiting up to ${START_MS / 1000} s for an engine that may be starting. ${messageOf(reason)}`,
          );
        isAwaited = true;
        await clock.sleep(Math.min(START_PAUSE_MS, startLeft), drain).catch(() => undefined);
        continue;
      }

      const pause = spread(doubled(FIRST_PAUSE_MS, LONGEST_PAUSE_MS, tries), random);
      const isLate = clock.steady() - since + pause > maxWaitMs && startLeft <= 0;
      if (singleRun || isLate || endsLastingAgent(reason)) throw reason;

      outage.failed(reason);
      await clock.sleep(pause, drain).catch(() => undefined);
    }
  }
}
