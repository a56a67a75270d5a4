import { setImmediate } from 'node:timers/promises';
import type { TokenSource } from '../cloud/token.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import { messageOf, OutcomeError } from '../outcome.ts';
import type { RecordEventBody } from '../record/schema.ts';
import type { Target } from '../target/target.ts';
import { containerSettings } from './container-settings.ts';
import type { Health } from './health/health.ts';
import type { Log } from './logging/agent-log.ts';
import type { Notice } from './logging/log-line.ts';

interface ReadinessOptions {
  readonly config: AgentConfig;
  readonly target: Target;
  readonly tokens: TokenSource;
  readonly health: Pick<Health, 'listen'>;
  readonly log: Log;
  readonly event: (event: RecordEventBody) => void;
  readonly notice: Notice;
  /** Aborts when nothing more may be claimed. */
  readonly drain: AbortSignal;
}

/** Everything that a claim will need, proved before a claim is asked for: it is never delivered again. */
export class Readiness {
  readonly #options: ReadinessOptions;
  #usable = false;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** Jobs could be run here when it was last looked. */
  get usable(): boolean {
    return this.#usable;
  }

  /** Proves it all side by side. Throws what failed first, OutcomeError `interrupted` when asked to stop meanwhile. */
  async prove(): Promise<void> {
    const { config, tokens, health, log, event, notice, drain } = this.#options;
    const allowed = tokens.get(drain).then(() => {
      const { method, expiresAt } = tokens;
      event({ type: 'authenticated', method, ...(expiresAt === undefined ? {} : { expiresAt }) });
    });
    const listening = health.listen({ port: config.httpServerPort, address: config.httpServerAddress }).then((url) => {
      log('info', `Health is served at ${url}.`);
      event({ type: 'health-listening', url });
    });
    // The exchange is on its way by then, and its time is enough to load what the check needs.
    const usable = setImmediate().then(() => this.#checkTarget());
    const results = await Promise.allSettled([listening, allowed, usable]);
    const failed = results.filter((result) => result.status === 'rejected').map((result) => result.reason as unknown);
    if (drain.aborted) throw new OutcomeError('interrupted', 'The agent was asked to stop before it was ready.');
    for (const other of failed.slice(1)) notice('warning', messageOf(other));
    if (failed.length > 0) throw failed[0];
  }

  /** After a job that its target failed: an agent whose engine is gone would burn one claim after the other. Throws what `prove` does. */
  async proveTarget(): Promise<void> {
    try {
      await this.#checkTarget();
    } catch (error) {
      // A stop ends the look; the wait then says so.
      if (!this.#options.drain.aborted) throw error;
    }
  }

  async #checkTarget(): Promise<void> {
    const { config, target, drain, log, event } = this.#options;
    this.#usable = false;
    // Every job would be refused.
    if (config.image !== undefined) containerSettings(config).policy?.check(config.image);
    const detail = await target.check(drain);
    this.#usable = true;
    log('info', detail);
    event({ type: 'target-ready', target: target.name, detail });
  }
}
