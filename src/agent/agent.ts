import { join } from 'node:path';
import type { StartedDeployments } from '../cloud/started-deployments.ts';
import type { Claim } from '../cloud/wire.ts';
import { defined } from '../defined.ts';
import { OwnDeployments } from '../deployments/own-deployments.ts';
import type { Triggered } from '../deployments/trigger-first.ts';
import { driftOf } from '../deployments/verdict.ts';
import { withEntry } from '../error-codes.ts';
import { containerSettings } from '../executor/registry.ts';
import type { Notice } from '../log/level.ts';
import { Outage, type Say } from '../log/outage.ts';
import type { SecretScope } from '../log/redactor.ts';
import { clause, codeOf, exitCodeOf, failureOf, messageOf, type Outcome } from '../outcome.ts';
import { keptRecords } from '../record/digests.ts';
import { closeRecord, mirror, type RunEnd, RunRecord } from '../record/run-record.ts';
import type { SpanVariables, Trace, Tracing } from '../record/trace.ts';
import type { AgentParts } from './claimed-run.ts';
import { Health } from './health/health.ts';
import type { RunIds } from './logging/log-line.ts';
import { OrphanSweep } from './orphans.ts';
import { Prepuller } from './prepuller.ts';
import type { Shutdown } from './process/shutdown.ts';
import { PLACE, Readiness } from './readiness.ts';
import { type Ended, endSentence, endWithoutWork, type RunFacts, runEnd } from './runs/end.ts';
import { serveClaim } from './serve-claim.ts';
import { serveOwn } from './serve-own.ts';
import { Waiting, type WaitingOptions } from './waiting.ts';

export interface AgentOptions extends AgentParts {
  readonly version: string;
  readonly shutdown: Shutdown;
  /** Reads deployments; absent without an access token. */
  readonly deployments?: StartedDeployments;
  /** Returns the directory for the next run. */
  readonly runDirectory: () => string;
  /** Removes old run directories after each run; when absent, all are kept. Never rejects. */
  readonly pruneRuns?: () => Promise<void>;

  /**
   * Starts deployments once, before the first wait. A failure ends a single run; a lasting agent
   * still serves its pool, and ends with that failure when its wait times out.
   */
  readonly beforeWaiting?: (notice: Notice, onActivity: () => void) => Promise<Triggered>;

  /** Names the runs' traces; when absent, none is recorded. */
  readonly tracing?: Tracing;
  /** Called with a run's directory once its record is closed, and awaited. Never rejects. */
  readonly onRecorded?: (directory: string) => Promise<void>;
  /** Called with the run being served, and with undefined when it has ended. */
  readonly onRun?: (run: RunIds | undefined) => void;
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
  /** The current job's secrets, redacted until its record is closed. */
  readonly #secrets: SecretScope;
  readonly #newWaiting: (changes?: Partial<WaitingOptions>) => Waiting;
  readonly #waiting: Waiting;
  readonly #greeting: Outage;
  #record: RunRecord;
  /** The deployments that this agent started. */
  #triggered: Triggered | undefined;
  #served = 0;
  /** The failure of `beforeWaiting`, if it failed. */
  #undone: { readonly error: unknown } | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;

    const { config, clock, metrics, pool, http, executor } = options;
    const { drain } = options.shutdown;
    const common = { ...options, say: this.#say, random: Math.random, drain };

    this.#secrets = options.redactor.scope();
    this.#record = this.#newRecord();

    const onSnapshot: RunRecord['health'] = (snapshot) => this.#record.health(snapshot);
    this.#health = new Health({ thresholdMs: config.healthThresholdMs, clock, onSnapshot, metrics });

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
      for (let last: Outcome | undefined; ; ) {
        const { outcome, claimedAt } = await this.#once(last);
        // A lasting agent waits out passing failures: without a claim, its time is up or its
        // configuration is bad.
        if (config.singleRun || shutdown.drain.aborted || claimedAt === undefined)
          return exitCodeOf(outcome, config);
        last = outcome;
        this.#record = this.#newRecord();
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
    if (!this.#options.config.singleRun || this.#triggered !== undefined) this.#say('warning', sentence);
  }

  #newRecord(onEvent = this.#options.metrics.event.bind(this.#options.metrics)): RunRecord {
    const { version, owner, clock, redactor } = this.#options;
    return new RunRecord({
      version,
      owner,
      now: () => clock.now(),
      redact: (text) => redactor.text(text),
      onEvent,
      traceOf: (deploymentId) => this.#traceOf(deploymentId),
    });
  }

  /** The trace of a single run that starts deployments is that of the first. */
  #traceOf(deploymentId: string | undefined): Trace | undefined {
    const { config, tracing } = this.#options;
    const first = config.singleRun ? this.#triggered?.starts.started[0]?.deploymentId : undefined;
    return tracing?.traceOf(first ?? deploymentId);
  }

  /** One run: a wait, and a job if one is claimed. `last` is the previous run's outcome. */
  async #once(last: Outcome | undefined): Promise<RunEnd> {
    const { config, version, owner, clock, runDirectory, shutdown } = this.#options;
    this.#record.event({ type: 'agent-started', version, owner });

    let since = clock.steady();
    const facts = () => ({ waitSeconds: (clock.steady() - since) / 1000 });
    let end: RunEnd;

    try {
      const directory = config.singleRun ? runDirectory() : undefined;
      if (directory !== undefined) this.#record.open(directory);
      await this.#getReady(last);
      since = clock.steady();
      this.#health.become('waiting');

      if (directory !== undefined && this.#triggered !== undefined) {
        end = await this.#serveOwn(this.#triggered, directory);
      } else {
        const waited = await this.#waiting.forWork();
        this.#prepuller.rest();

        // A lasting agent makes a run directory only for a job.
        const fresh = () => (directory === undefined ? runDirectory() : undefined);
        if ('claim' in waited)
          end = await this.#runClaim(waited.claim, facts().waitSeconds, this.#record, fresh());
        else
          end = this.#end(
            endWithoutWork(waited.ended, { ...config, served: this.#served }, this.#undone),
            facts(),
          );
      }
    } catch (error) {
      end = this.#end(failureOf(error), facts());
    }

    // The error that is ending the agent becomes the run's outcome.
    if (shutdown.error !== undefined) end = { ...end, ...failureOf(shutdown.error), exitCode: 1 };
    await this.#close(end);

    return end;
  }

  /**
   * Checks what a claim needs and starts deployments before the first run; checks the executor
   * after a failed one.
   */
  async #getReady(last: Outcome | undefined): Promise<void> {
    const { beforeWaiting, config, shutdown } = this.#options;

    if (last !== undefined && last !== 'succeeded' && last !== 'refused') {
      this.#health.become('starting');
      await this.#readiness.proveExecutor();
    }

    if (last !== undefined) return;

    await this.#readiness.prove();
    if (shutdown.drain.aborted) return;

    this.#orphans.begin();

    try {
      this.#triggered = await beforeWaiting?.(this.#say, () => this.#health.active());
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

  /**
   * Serves and follows the deployments that the run started. Each job has a record, whose events
   * the run's repeats.
   */
  async #serveOwn(triggered: Triggered, directory: string): Promise<RunEnd> {
    const { redactor, version, owner, clock, shutdown } = this.#options;
    const { drain } = shutdown;
    const say = this.#say;

    const own = new OwnDeployments({
      ...this.#options,
      ...triggered,
      directory,
      record: this.#record,
      newRecord: () => this.#newRecord(() => undefined),
      outage: new Outage('Following the deployments', { say, clock }),
      drain,
      isFaulty: () => shutdown.error !== undefined,
      health: this.#health,
    });

    const { verdict, waitSeconds, runSeconds } = await serveOwn(own, {
      clock,
      say,
      drain,
      newWaiting: this.#newWaiting,
      health: this.#health,
      prepuller: this.#prepuller,
      readiness: this.#readiness,
      serve: async (claim, path, waitSeconds, onReported) => {
        const record = this.#newRecord(mirror(this.#record, path, onReported));
        record.event({ type: 'agent-started', version, owner });
        const end = await this.#runClaim(claim, waitSeconds, record, join(directory, path));
        // Redact now: the run's record quotes this after the job's secrets are forgotten.
        const message = redactor.text(end.message);
        this.#closeRecord(record, end);
        return { ...end, message };
      },
    });

    const end = this.#end(verdict, { waitSeconds, ...own.first });
    const records = await keptRecords(directory);

    return {
      ...end,
      runSeconds,
      deployments: [...own.list],
      records,
      ...defined({ drift: driftOf(own.list) }),
    };
  }

  #runClaim(
    claim: Claim,
    waitSeconds: number,
    record: RunRecord,
    directory: string | undefined,
  ): Promise<RunEnd> {
    this.#served += 1;
    const started = this.#triggered?.starts.started.find((each) => each.deploymentId === claim.deploymentId);
    const deployments = this.#triggered?.api ?? this.#options.deployments;

    const { tracing } = this.#options;
    const parts = {
      health: this.#health,
      secrets: this.#secrets,
      record,
      directory,
      started,
      deployments,
      onRun: this.#onRun,
      spanVariables: tracing?.variablesOf && ((index: number) => this.#variablesOf(claim, index)),
    };

    return serveClaim(claim, waitSeconds, { ...this.#options, ...parts });
  }

  #variablesOf({ deploymentId, jobId }: Claim, index: number): SpanVariables {
    const trace = this.#traceOf(deploymentId);
    return (trace && this.#options.tracing?.variablesOf?.(trace, jobId, index)) ?? {};
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
    log(end.exitCode === 0 ? 'info' : 'error', `${end.outcome}: ${endSentence(end)}`);
    this.#closeRecord(this.#record, end);
    const { directory } = this.#record;
    if (directory !== undefined) await onRecorded?.(directory);
    await pruneRuns?.();
  }

  /** Closes a record, and forgets the job's IDs and secrets. */
  #closeRecord(record: RunRecord, end: RunEnd): void {
    const { log } = this.#options;
    this.#onRun(undefined);
    closeRecord(record, end, (message) => log('error', message));
    this.#secrets.forget();
  }

  readonly #onRun = (run: RunIds | undefined): void => {
    this.#health.serves(run);
    this.#options.onRun?.(run);
  };

  readonly #say: Say = (level, message) => {
    this.#options.log(level, message);
    if (level !== 'debug') this.#record.notice(level, message);
  };
}
