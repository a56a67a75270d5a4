import { withEntry } from '../base/error-codes.ts';
import type { RunLog } from '../base/log/level.ts';
import { Outage } from '../base/log/outage.ts';
import { clause, codeOf, exitCodeOf, failureOf, messageOf } from '../base/outcome.ts';
import type { Triggered } from '../cloud/deployments/trigger-first.ts';
import { UnreadableClaimError } from '../cloud/errors.ts';
import { containerSettings } from '../executor/registry.ts';
import type { RunEnd, RunRecord } from '../record/run-record.ts';
import { Health } from './health/health.ts';
import { OrphanSweep } from './orphans.ts';
import { Prepuller } from './prepuller.ts';
import { PLACE, Readiness } from './readiness.ts';
import { type Ended, endSentence, endWithoutWork, type RunFacts, runEnd } from './runs/end.ts';
import { Serving, type ServingParts } from './serving.ts';
import { Waiting, type WaitingOptions } from './waiting.ts';

export interface AgentOptions extends ServingParts {
  /** Returns the directory for the next run. */
  readonly runDirectory: () => string;
  /** Removes old run directories after each run; when absent, all are kept. Never rejects. */
  readonly pruneRuns?: () => Promise<void>;

  /**
   * Starts deployments once, before the first wait. A failure ends a single run; a lasting agent
   * still serves its pool, and ends with that failure when its wait times out.
   */
  readonly beforeWaiting?: (notice: RunLog, onActivity: () => void) => Promise<Triggered>;

  /** Called with a run's directory once its record is closed, and awaited. Never rejects. */
  readonly onRecorded?: (directory: string) => Promise<void>;
}

/**
 * The agent's life cycle: get ready, wait, claim, run one job, report it, and repeat unless it is a
 * single run.
 */
export class Agent {
  readonly #options: AgentOptions;
  readonly #health: Health;
  readonly #readiness: Readiness;
  readonly #orphans: OrphanSweep;
  readonly #prepuller: Prepuller;
  readonly #serving: Serving;
  readonly #newWaiting: (changes?: Partial<WaitingOptions>) => Waiting;
  readonly #waiting: Waiting;
  readonly #greeting: Outage;
  #record: RunRecord;
  /** The failure of `beforeWaiting`, if it failed. */
  #undone: { readonly error: unknown } | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;

    const { config, clock, metrics, pool, http, executor } = options;
    const { drain } = options.shutdown;
    const common = { ...options, say: this.#say, random: Math.random, drain };

    const onSnapshot: RunRecord['health'] = (snapshot) => this.#record.health(snapshot);
    this.#health = new Health({ thresholdMs: config.healthThresholdMs, clock, onSnapshot, metrics });

    this.#serving = new Serving(options, this.#health, this.#say);
    this.#record = this.#serving.newRecord();

    this.#readiness = new Readiness({
      ...common,
      health: this.#health,
      event: (event) => this.#record.event(event),
    });

    this.#orphans = new OrphanSweep(common);

    const { policy } = containerSettings(config);
    this.#prepuller = new Prepuller({ ...common, images: config.prepullImages, policy });
    this.#greeting = new Outage('Greeting Pulumi Cloud', common);

    this.#newWaiting = (changes) =>
      new Waiting({
        ...config,
        ...common,
        poll: (signal, noMoreTries) => metrics.timedPoll(() => pool.poll(signal, noMoreTries), noMoreTries),
        probe: (signal) => executor.probe(signal),
        isHeldBack: () => http.restMs > 0,
        outage: new Outage('Polling for work', common),
        placeOutage: new Outage(PLACE, common),
        health: this.#health,
        onWait: (polls, nextPollSeconds) => this.#onWait(polls, nextPollSeconds),
        ...changes,
      });

    this.#waiting = this.#newWaiting();
  }

  /** Runs until the agent ends. Returns the exit code. Never throws: every end has an outcome. */
  async run(): Promise<number> {
    const { config, shutdown, executor } = this.#options;
    try {
      for (let isFirst = true; ; isFirst = false) {
        const { outcome, claimedAt } = await this.#once(isFirst);
        // A lasting agent waits out passing failures: without a claim, its time is up or its
        // configuration is bad.
        if (config.singleRun || shutdown.drain.aborted || claimedAt === undefined)
          return !config.singleRun && shutdown.error !== undefined ? 1 : exitCodeOf(outcome, config);
        this.#record = this.#serving.newRecord();
      }
    } finally {
      await this.#orphans.end();
      this.#health.close();
      await executor.close();
    }
  }

  /**
   * Logs that calls are paused. A single run ends instead, unless it waits for deployments that it
   * started.
   */
  paused(sentence: string): void {
    if (!this.#options.config.singleRun || this.#serving.triggered !== undefined)
      this.#say('warning', sentence);
  }

  /** One run: a wait, and a job if one is claimed. */
  async #once(isFirst: boolean): Promise<RunEnd> {
    const { config, version, owner, clock, runDirectory, shutdown } = this.#options;
    this.#record.event({ type: 'agent-started', version, owner });

    let since = clock.steady();
    const facts = () => ({ waitSeconds: (clock.steady() - since) / 1000 });
    let end: RunEnd;

    try {
      const directory = config.singleRun ? runDirectory() : undefined;
      if (directory !== undefined) this.#record.open(directory);
      await this.#getReady(isFirst);
      since = clock.steady();
      this.#health.become('waiting');

      const { triggered } = this.#serving;

      if (directory !== undefined && triggered !== undefined) {
        const waits = { newWaiting: this.#newWaiting, prepuller: this.#prepuller };
        end = await this.#serving.own(triggered, this.#record, directory, waits);
      } else {
        const waited = await this.#waiting.forWork();
        this.#prepuller.rest();

        // A lasting agent makes a run directory only for a job.
        const fresh = () => (directory === undefined ? runDirectory() : undefined);
        if ('claim' in waited)
          end = await this.#serving.claim(waited.claim, facts().waitSeconds, this.#record, fresh());
        else
          end = this.#end(
            endWithoutWork(waited.ended, { ...config, served: this.#serving.served }, this.#undone),
            facts(),
          );
      }
    } catch (error) {
      // A restart by a supervisor would poll again.
      if (error instanceof UnreadableClaimError && !config.singleRun) {
        this.#say('warning', withEntry(error.message, error.code));
        await this.#serving.pause.forGood(error.code, shutdown.drain);
      }
      end = this.#end(failureOf(error), facts());
    }

    // The error that is ending the agent becomes the outcome of the run that it cut short, and of no other.
    const isCut = end.outcome === 'interrupted' || (end.claimedAt === undefined && !end.deployments);
    if (shutdown.error !== undefined && isCut) end = { ...end, ...failureOf(shutdown.error), exitCode: 1 };
    await this.#close(end);

    return end;
  }

  /**
   * Checks what a claim needs and starts deployments before the first run; before each later one,
   * waits out a pause after a fault of the runner.
   */
  async #getReady(isFirst: boolean): Promise<void> {
    const { beforeWaiting, config, shutdown } = this.#options;

    if (!isFirst) {
      this.#health.become('starting');
      return this.#serving.pause.over(shutdown.drain);
    }

    await this.#readiness.prove();
    if (shutdown.drain.aborted) return;

    this.#orphans.begin();

    try {
      this.#serving.triggered = await beforeWaiting?.(this.#say, () => this.#health.active());
    } catch (error) {
      if (config.singleRun || shutdown.drain.aborted) throw error;
      // Neither retry nor exit: a retry, or a restart by a supervisor, could start a deployment
      // twice.
      const sentence = `${clause(messageOf(error))}. The agent still serves its pool.`;
      this.#say('warning', withEntry(sentence, codeOf(error)));
      this.#undone = { error };
    }
  }

  #onWait(polls: number, nextPollSeconds: number): void {
    const { pool, shutdown } = this.#options;
    this.#record.event({ type: 'waiting', polls, nextPollSeconds });
    this.#orphans.begin();
    this.#prepuller.begin();
    if (polls > 1) return;

    // As Pulumi's own agent does. Nothing depends on the answers.
    void pool.bootstrap(shutdown.drain).then(
      () => this.#greeting.over(),
      (error: unknown) => shutdown.drain.aborted || this.#greeting.failed(error),
    );
  }

  #end(ended: Ended, facts: RunFacts): RunEnd {
    return runEnd(ended, facts, this.#options.config, this.#options.clock);
  }

  /** Logs how the run ended, and closes its record. */
  async #close(end: RunEnd): Promise<void> {
    const { config, log, onRecorded, pruneRuns } = this.#options;
    // Before the record is closed: it lists what was removed.
    if (config.singleRun) await this.#orphans.end();
    this.#health.become('stopped');
    const level = end.outcome === 'skipped' ? 'warning' : end.exitCode === 0 ? 'info' : 'error';
    log(level, `${end.outcome}: ${endSentence(end)}`);
    this.#serving.close(this.#record, end);
    const { directory } = this.#record;
    if (directory !== undefined) await onRecorded?.(directory);
    await pruneRuns?.();
  }

  readonly #say: RunLog = (level, message) => {
    this.#options.log(level, message);
    if (level !== 'debug') this.#record.notice(level, message);
  };
}
