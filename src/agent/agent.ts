import { stackNamed } from '../base/config/stack-pattern.ts';
import { withEntry } from '../base/error-codes.ts';
import type { RunLog } from '../base/log/level.ts';
import { Outage } from '../base/log/outage.ts';
import { clause, codeOf, exitCodeOf, failureOf, messageOf } from '../base/outcome.ts';
import type { Triggered } from '../cloud/deployments/trigger-first.ts';
import { UnreadableClaimError } from '../cloud/errors.ts';
import type { Claim } from '../cloud/job-wire.ts';
import { containerSettings } from '../executor/targets.ts';
import type { RunEnd, RunRecord } from '../record/run-record.ts';
import type { SpanVariables, Trace } from '../record/trace.ts';
import { serveClaim } from './claim.ts';
import { ClaimPause } from './claim-pause.ts';
import { Health } from './health/health.ts';
import type { RunIds } from './logging/log-line.ts';
import { OrphanSweep } from './orphans.ts';
import { Prepuller } from './prepuller.ts';
import { PLACE, Readiness } from './readiness.ts';
import { type Ended, endSentence, endWithoutWork, type RunFacts, runEnd } from './runs/end.ts';
import { Records } from './runs/records.ts';
import type { Services } from './services.ts';
import { serveStarted } from './started.ts';
import { Wait, type WaitOptions } from './wait.ts';

/** What happens around an agent's runs. */
export interface Lifecycle {
  /** Returns the directory for the next run. */
  readonly runDirectory: () => string;
  /** Removes old run directories after each run; when absent, all are kept. Never rejects. */
  readonly pruneRuns?: (() => Promise<void>) | undefined;

  /**
   * Starts deployments once, before the first wait. A failure ends a single run; a lasting agent
   * still serves its pool, and ends with that failure when its wait times out.
   */
  readonly beforeWaiting?: ((notice: RunLog, onActivity: () => void) => Promise<Triggered>) | undefined;

  /** Called with the run being served, and with undefined when it has ended. */
  readonly onRun?: ((run: RunIds | undefined) => void) | undefined;
  /** Called with a run's directory once its record is closed, and awaited. Never rejects. */
  readonly onRecorded?: ((directory: string) => Promise<void>) | undefined;
}

/**
 * The agent, from its start to its exit code. Read on, in the order of a run: `readiness.ts` proves
 * that a claim can be served; `wait.ts` polls for one; `claim.ts` serves it; `job/job.ts` runs its job
 * in one container; `job/steps.ts` runs that job's steps. Beside them, `started.ts` answers for
 * deployments that the run itself started, and `services.ts` lists what all of them work with.
 */
export class Agent {
  readonly #services: Services;
  readonly #lifecycle: Lifecycle;
  readonly #health: Health;
  readonly #readiness: Readiness;
  readonly #orphans: OrphanSweep;
  readonly #prepuller: Prepuller;
  /** Holds back the next claim after a fault of the runner. */
  readonly #pause: ClaimPause;
  readonly #records: Records;
  readonly #wait: Wait;
  readonly #announcement: Outage;
  #record: RunRecord;
  /** The deployments that this agent started. */
  #triggered: Triggered | undefined;
  /** The failure of `beforeWaiting`, if it failed. */
  #startFailure: { readonly error: unknown } | undefined;
  /** How many claims it has served. */
  #served = 0;

  constructor(services: Services, lifecycle: Lifecycle) {
    this.#services = services;
    this.#lifecycle = lifecycle;

    const { config, clock, log, metrics, executor, trial, cloud, shutdown } = services;
    const { version, owner, redactor } = services;
    const { drain } = shutdown;
    const say = this.#say;
    const random = Math.random;

    const health = new Health({
      thresholdMs: config.healthThresholdMs,
      clock,
      onSnapshot: (snapshot) => this.#record.health(snapshot),
      metrics,
    });
    this.#health = health;

    const traceOf = (deploymentId: string | undefined) => this.#traceOf(deploymentId);
    this.#records = new Records({ version, owner, clock, log, redactor, traceOf });
    this.#record = this.#newRecord();

    this.#readiness = new Readiness({
      config,
      executor,
      trial,
      tokens: cloud.tokens,
      clock,
      health,
      log,
      event: (event) => this.#record.event(event),
      say,
      random,
      drain,
    });

    this.#orphans = new OrphanSweep({ executor, clock, say, random });

    const { policy } = containerSettings(config);
    this.#prepuller = new Prepuller({ images: config.prepullImages, policy, executor, clock, say, drain });
    this.#pause = new ClaimPause({ config, trial, clock, say, random, health });
    this.#announcement = new Outage('Announcing the agent to Pulumi Cloud', { say, clock });
    this.#wait = this.#newWait({ drain });
  }

  /** Runs until the agent ends. Returns the exit code. Never throws: every end has an outcome. */
  async run(): Promise<number> {
    const { config, shutdown, executor } = this.#services;
    try {
      for (let isFirst = true; ; isFirst = false) {
        const { outcome, claimedAt } = await this.#once(isFirst);
        // A lasting agent waits out passing failures: without a claim, its time is up or its
        // configuration is bad.
        if (config.singleRun || shutdown.drain.aborted || claimedAt === undefined)
          return !config.singleRun && shutdown.error !== undefined ? 1 : exitCodeOf(outcome, config);
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
    if (!this.#services.config.singleRun || this.#triggered !== undefined) this.#say('warning', sentence);
  }

  /** One run: a wait, and a job if one is claimed. */
  async #once(isFirst: boolean): Promise<RunEnd> {
    const { config, version, owner, clock, shutdown } = this.#services;
    const { runDirectory } = this.#lifecycle;
    this.#record.event({ type: 'agent-started', version, owner });

    let since = clock.steady();
    const waitSeconds = () => (clock.steady() - since) / 1000;
    let end: RunEnd;

    try {
      const directory = config.singleRun ? runDirectory() : undefined;
      if (directory !== undefined) this.#record.open(directory);
      await this.#getReady(isFirst);
      since = clock.steady();
      this.#health.become('waiting');

      if (directory !== undefined && this.#triggered !== undefined) {
        end = await this.#serveStarted(this.#triggered, directory);
      } else {
        const waitEnd = await this.#wait.forWork();
        this.#prepuller.rest();

        if ('claim' in waitEnd) {
          // A lasting agent makes a run directory only for a job.
          const newDirectory = directory === undefined ? runDirectory() : undefined;
          end = await this.#serve(waitEnd.claim, waitSeconds(), this.#record, newDirectory);
        } else {
          const { singleRun, runnerPoolId, organizationName, maxWaitMs } = config;
          const facts = { singleRun, runnerPoolId, organizationName, maxWaitMs, served: this.#served };
          const verdict = endWithoutWork(waitEnd.ended, facts, this.#startFailure);
          end = this.#end(verdict, { waitSeconds: waitSeconds() });
        }
      }
    } catch (error) {
      // A restart by a supervisor would poll again.
      if (error instanceof UnreadableClaimError && !config.singleRun) {
        this.#say('warning', withEntry(error.message, error.code));
        await this.#pause.forGood(error.code, shutdown.drain);
      }
      end = this.#end(failureOf(error), { waitSeconds: waitSeconds() });
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
    const { config, shutdown } = this.#services;

    if (!isFirst) {
      this.#health.become('starting');
      return this.#pause.over(shutdown.drain);
    }

    await this.#readiness.prove();
    if (shutdown.drain.aborted) return;

    this.#orphans.begin();

    try {
      this.#triggered = await this.#lifecycle.beforeWaiting?.(this.#say, () => this.#health.active());
    } catch (error) {
      if (config.singleRun || shutdown.drain.aborted) throw error;
      // Neither retry nor exit: a retry, or a restart by a supervisor, could start a deployment
      // twice.
      const sentence = `${clause(messageOf(error))}. The agent still serves its pool.`;
      this.#say('warning', withEntry(sentence, codeOf(error)));
      this.#startFailure = { error };
    }
  }

  #newWait({
    drain,
    outlastsOutages,
    beforePoll,
  }: Pick<WaitOptions, 'drain' | 'outlastsOutages' | 'beforePoll'>): Wait {
    const { config, clock, metrics, cloud, executor } = this.#services;
    const { pollingIntervalMs, pollingIntervalOverride, maxWaitMs, singleRun } = config;
    const { pool, http } = cloud;
    const say = this.#say;

    return new Wait({
      pollingIntervalMs,
      pollingIntervalOverride,
      maxWaitMs,
      singleRun,
      poll: (signal, noMoreTries) => metrics.timedPoll(() => pool.poll(signal, noMoreTries), noMoreTries),
      probe: (signal) => executor.probe(signal),
      isHeldBack: () => http.restMs > 0,
      outlastsOutages,
      beforePoll,
      clock,
      drain,
      outage: new Outage('Polling for work', { say, clock }),
      placeOutage: new Outage(PLACE, { say, clock }),
      health: this.#health,
      onWait: (polls, nextPollSeconds) => this.#onWait(polls, nextPollSeconds),
      random: Math.random,
    });
  }

  #onWait(polls: number, nextPollSeconds: number): void {
    const { cloud, shutdown } = this.#services;
    this.#record.event({ type: 'waiting', polls, nextPollSeconds });
    this.#orphans.begin();
    this.#prepuller.begin();
    if (polls > 1) return;

    // As Pulumi's own agent does. Nothing depends on the answers.
    void cloud.pool.announce(shutdown.drain).then(
      () => this.#announcement.over(),
      (error: unknown) => shutdown.drain.aborted || this.#announcement.failed(error),
    );
  }

  /** Serves a claim into `record`, which `directory` opens. Never throws. */
  async #serve(
    claim: Claim,
    waitSeconds: number,
    record: RunRecord,
    directory: string | undefined,
  ): Promise<RunEnd> {
    this.#served += 1;
    const { cloud, tracing, stackOutputs, shutdown, log } = this.#services;
    const started = this.#triggered?.starts.started.find((each) => each.deploymentId === claim.deploymentId);
    const { api: deployments = cloud.deployments, recheck } = this.#triggered ?? {};

    const end = await serveClaim(this.#services, {
      claim,
      waitSeconds,
      record,
      directory,
      secrets: this.#records.secrets,
      health: this.#health,
      started,
      deployments,
      mayStep: recheck && started && ((signal) => recheck(stackNamed(started.stack), signal)),
      spanVariables: tracing?.variablesOf && ((index) => this.#spanVariables(claim, index)),
      onRun: (run) => this.#onRun(run),
      onEnd: (jobEnd) => this.#pause.ended(jobEnd),
    });

    // Of the run's own or, without any, of the deployment that it claimed, by the name that Pulumi Cloud gave it.
    const isOwn = this.#triggered === undefined || started !== undefined;
    if (isOwn && deployments !== undefined && end.outcome === 'succeeded' && end.identity?.proven === true) {
      const notice = (message: string) => {
        log('info', message);
        record.notice('info', message);
      };
      await stackOutputs?.add(end.identity, { api: deployments, notice, signal: shutdown.drain });
    }

    return end;
  }

  #serveStarted(triggered: Triggered, directory: string): Promise<RunEnd> {
    return serveStarted(this.#services, {
      triggered,
      run: this.#record,
      directory,
      health: this.#health,
      pause: this.#pause,
      prepuller: this.#prepuller,
      records: this.#records,
      say: this.#say,
      newWait: (changes) => this.#newWait(changes),
      serve: (claim, waitSeconds, record, path) => this.#serve(claim, waitSeconds, record, path),
      onServed: () => this.#onRun(undefined),
    });
  }

  #newRecord(): RunRecord {
    const { metrics } = this.#services;
    return this.#records.begin((event) => metrics.event(event));
  }

  /** The trace of a single run that starts deployments is that of the first. */
  #traceOf(deploymentId: string | undefined): Trace | undefined {
    const { config, tracing } = this.#services;
    const first = config.singleRun ? this.#triggered?.starts.started[0]?.deploymentId : undefined;
    return tracing?.traceOf(first ?? deploymentId);
  }

  #spanVariables({ deploymentId, jobId }: Claim, index: number): SpanVariables {
    const trace = this.#traceOf(deploymentId);
    return (trace && this.#services.tracing?.variablesOf?.(trace, jobId, index)) ?? {};
  }

  #onRun(run: RunIds | undefined): void {
    this.#health.serves(run);
    this.#lifecycle.onRun?.(run);
  }

  #end(ended: Ended, facts: RunFacts): RunEnd {
    return runEnd(ended, facts, this.#services.config, this.#services.clock);
  }

  /** Logs how the run ended, and closes its record. */
  async #close(end: RunEnd): Promise<void> {
    const { config, log } = this.#services;
    const { onRecorded, pruneRuns } = this.#lifecycle;
    // Before the record is closed: it lists what was removed.
    if (config.singleRun) await this.#orphans.end();
    this.#health.become('stopped');
    const level = end.outcome === 'skipped' ? 'warning' : end.exitCode === 0 ? 'info' : 'error';
    log(level, `${end.outcome}: ${endSentence(end)}`);
    this.#onRun(undefined);
    this.#records.close(this.#record, end);
    const { directory } = this.#record;
    if (directory !== undefined) await onRecorded?.(directory);
    await pruneRuns?.();
  }

  readonly #say: RunLog = (level, message) => {
    this.#services.log(level, message);
    if (level !== 'debug') this.#record.notice(level, message);
  };
}
