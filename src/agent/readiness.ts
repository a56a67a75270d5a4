import type { Clock } from '../clock.ts';
import { Outage, type OutageOptions } from '../cloud/outage.ts';
import type { TokenSource } from '../cloud/token.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import { defined } from '../defined.ts';
import type { Executor } from '../executor/executor.ts';
import { messageOf, OutcomeError } from '../outcome.ts';
import type { RecordEventBody } from '../record/schema.ts';
import { containerSettings } from './container-settings.ts';
import type { Health } from './health/health.ts';
import type { Log } from './logging/agent-log.ts';
import { endsLastingAgent } from './runs/end.ts';
import { pauseAfter, spread } from './waiting.ts';

/** Milliseconds before a lasting agent tries again. */
const FIRST_PAUSE_MS = 5_000;

interface ReadinessOptions {
  readonly config: AgentConfig;
  readonly executor: Executor;
  readonly tokens: TokenSource;
  readonly clock: Clock;
  readonly health: Pick<Health, 'listen'>;
  readonly log: Log;
  readonly event: (event: RecordEventBody) => void;
  readonly say: OutageOptions['say'];
  readonly random: () => number;
  /** Aborts when nothing more may be claimed. */
  readonly drain: AbortSignal;
}

/** Something that a claim will need. */
interface Proof {
  readonly outage: Outage;
  readonly prove: () => Promise<void>;
}

/** Everything that a claim will need, proved before a claim is asked for: it is never delivered again. */
export class Readiness {
  readonly #options: ReadinessOptions;
  readonly #credentials: Proof;
  readonly #executor: Proof;

  constructor(options: ReadinessOptions) {
    this.#options = options;
    const { clock, say } = options;
    const outage = (what: string) => new Outage({ what, clock, say });
    this.#credentials = { outage: outage('Signing in to Pulumi Cloud'), prove: () => this.#signIn() };
    this.#executor = { outage: outage('The place where jobs run'), prove: () => this.#checkExecutor() };
  }

  /**
   * Proves it all, once. A lasting agent tries until it holds, for `max_wait` at most, or until it is asked to stop. Throws what
   * failed first; for a single run that was asked to stop OutcomeError `interrupted`.
   */
  async prove(): Promise<void> {
    const { config, health, log, event } = this.#options;
    const url = await health.listen({ port: config.httpServerPort, address: config.httpServerAddress });
    log('info', `Health is served at ${url}.`);
    event({ type: 'health-listening', url });
    await this.#untilProved([this.#credentials, this.#executor]);
  }

  /** After a job that failed, perhaps with its engine: an agent without one would burn one claim after the other. Throws what `prove` does. */
  proveExecutor(): Promise<void> {
    return this.#untilProved([this.#executor]);
  }

  async #untilProved(proofs: readonly Proof[]): Promise<void> {
    const { config, clock, drain, random } = this.#options;
    const { singleRun, maxWaitMs = Number.POSITIVE_INFINITY } = config;
    const started = clock.steady();
    for (let tries = 1, left = proofs; ; tries += 1) {
      const failures = await this.#prove(left);
      if (drain.aborted && !singleRun) return;
      if (drain.aborted) throw new OutcomeError('interrupted', 'The agent was asked to stop before it was ready.');
      if (failures.size === 0) return;
      const pause = spread(pauseAfter(tries, FIRST_PAUSE_MS), random);
      const errors = [...failures.values()];
      const end = singleRun ? errors[0] : errors.find(endsLastingAgent);
      const isLate = clock.steady() - started + pause > maxWaitMs;
      if (end !== undefined || isLate) throw this.#last(errors, end ?? errors[0]);
      for (const [{ outage }, error] of failures) outage.failed(error);
      left = [...failures.keys()];
      await clock.sleep(pause, drain).catch(() => undefined);
    }
  }

  /** Side by side. Returns what failed. */
  async #prove(proofs: readonly Proof[]): Promise<Map<Proof, unknown>> {
    const failures = new Map<Proof, unknown>();
    const results = await Promise.allSettled(proofs.map(({ prove }) => prove()));
    for (const [index, proof] of proofs.entries()) {
      const result = results[index];
      if (result?.status === 'rejected') failures.set(proof, result.reason);
      else proof.outage.over();
    }
    return failures;
  }

  /** The error that ends it; the others are warnings. */
  #last(errors: readonly unknown[], one: unknown): unknown {
    for (const other of errors) if (other !== one) this.#options.say('warning', messageOf(other));
    return one;
  }

  async #signIn(): Promise<void> {
    const { tokens, drain, event } = this.#options;
    await tokens.get(drain);
    const { method, expiresAt } = tokens;
    event({ type: 'authenticated', method, ...defined({ expiresAt }) });
  }

  async #checkExecutor(): Promise<void> {
    const { config, executor, drain, log, event } = this.#options;
    // Every job would be refused.
    if (config.image !== undefined) containerSettings(config).policy?.check(config.image);
    const detail = await executor.check(drain);
    log('info', detail);
    event({ type: 'target-ready', target: executor.name, detail });
  }
}
