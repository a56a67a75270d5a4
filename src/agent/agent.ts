import { momentOf, passedSince } from '../clock.ts';
import { consoleUrl } from '../cloud/organization-wire.ts';
import { Outage, type OutageOptions } from '../cloud/outage.ts';
import type { Claim } from '../cloud/wire.ts';
import { containerSettings } from '../executor/registry.ts';
import type { SecretScope } from '../log/redactor.ts';
import { clause, exitCodeOf, messageOf, OUTCOMES, type Outcome } from '../outcome.ts';
import { processSpace } from '../record/owner.ts';
import { type ClaimedRunOptions, runClaim } from './claimed-run.ts';
import { greet } from './greeting.ts';
import { Health } from './health/health.ts';
import type { Metrics } from './health/metrics.ts';
import type { KeptRuns } from './kept-runs.ts';
import type { Notice, RunIds } from './logging/log-line.ts';
import { OrphanSweep } from './orphans.ts';
import { Prepuller } from './prepuller.ts';
import { Readiness } from './readiness.ts';
import { type Ended, type RunFacts, runEnd } from './run-end.ts';
import { explained, runFailure } from './run-failure.ts';
import { type RunEnd, RunRecord } from './run-record.ts';
import { type Waited, Waiting } from './waiting.ts';

export interface AgentOptions extends Omit<ClaimedRunOptions, 'health' | 'record' | 'notice' | 'secrets'> {
  readonly version: string;
  readonly metrics: Metrics;
  /** Names the directory of the next run. */
  readonly runDirectory: () => string;
  /** Removes the directories of old runs; without it they all stay. */
  readonly keptRuns?: Pick<KeptRuns, 'ended' | 'end'>;
  /** Aborts when nothing more may be claimed. */
  readonly drain: AbortSignal;
  /**
   * Done once, before the first wait for work. A failure ends a single run before anything is claimed; a lasting agent serves its
   * pool all the same, and ends so when its time is up. Returns the pages of the deployments that it started, as far as they are
   * known, by the deployments' IDs.
   */
  readonly beforeWaiting?: (notice: Notice, health: Pick<Health, 'active'>) => Promise<ReadonlyMap<string, string>>;
  /** What made the agent end as no part of it was to: it is then how the run ended. */
  readonly fault?: () => unknown;
  /** Told the run that is served, and when none is any more. */
  readonly onRun?: (run: RunIds | undefined) => void;
}

/** The agent's life: is all there? wait, claim, run one job, tell, and again unless it is a single run. */
export class Agent {
  readonly #options: AgentOptions;
  readonly #health: Health;
  readonly #readiness: Readiness;
  readonly #orphans: OrphanSweep;
  readonly #prepuller: Prepuller;
  /** What the job that is served holds: hidden until its record is closed. */
  readonly #secrets: SecretScope;
  readonly #waiting: Waiting;
  readonly #greeting: Outage;
  #record: RunRecord;
  /** The pages of the deployments that were started here, by the deployments' IDs. */
  #pages: ReadonlyMap<string, string> | undefined;
  /** Why what was to be done before the first wait was not done. */
  #undone: { readonly error: unknown } | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#secrets = options.redactor.scope();
    this.#record = this.#newRecord();
    this.#health = new Health({
      thresholdMs: options.config.healthThresholdMs,
      clock: options.clock,
      onSnapshot: (snapshot) => this.#record.health(snapshot),
      metrics: options.metrics,
    });
    this.#readiness = new Readiness({
      ...options,
      health: this.#health,
      event: (event) => this.#record.event(event),
      say: this.#say,
      random: Math.random,
    });
    this.#orphans = new OrphanSweep({
      target: options.target,
      host: options.owner.host,
      steady: () => options.clock.steady(),
      random: Math.random,
      onRemoved: (line) => this.#say('info', `${line} The agent that it belonged to is dead.`),
      outage: new Outage({ what: 'Looking for what dead agents left', say: options.log, clock: options.clock }),
    });
    this.#prepuller = new Prepuller({
      ...options,
      images: options.config.prepullImages,
      policy: containerSettings(options.config).policy,
      say: this.#say,
    });
    this.#greeting = new Outage({ what: 'Greeting Pulumi Cloud', say: this.#say, clock: options.clock });
    this.#waiting = this.#newWaiting();
  }

  /** Runs to the end. Returns the exit code. Never throws: every way to end has an outcome. */
  async run(): Promise<number> {
    const { config, drain, target } = this.#options;
    try {
      for (let last: Outcome | undefined; ; ) {
        const { outcome, claimedAt } = await this.#once(last);
        // What keeps a lasting agent from a claim is waited out; so without one, its time is up or its configuration is bad.
        if (config.singleRun || drain.aborted || claimedAt === undefined) return exitCodeOf(outcome, config);
        last = outcome;
        this.#record = this.#newRecord();
      }
    } finally {
      await Promise.all([this.#orphans.end(), this.#options.keptRuns?.end()]);
      this.#health.close();
      await target.close();
    }
  }

  #newRecord(): RunRecord {
    const { version, owner, clock, redactor, metrics } = this.#options;
    return new RunRecord({
      version,
      owner,
      now: () => clock.now(),
      redact: (text) => redactor.text(text),
      onEvent: (event) => metrics.event(event),
    });
  }

  #newWaiting(): Waiting {
    const { config, clock, metrics, pool, http, drain } = this.#options;
    return new Waiting({
      ...config,
      poll: (signal, noMoreTries) => metrics.timedPoll(() => pool.poll(signal, noMoreTries), noMoreTries),
      restMs: () => http.restMs,
      clock,
      drain,
      outage: new Outage({ what: 'Polling for work', say: this.#say, clock }),
      onAnswer: () => this.#health.active(),
      onWait: (polls, nextPollSeconds) => {
        this.#record.event({ type: 'waiting', polls, nextPollSeconds });
        this.#orphans.waiting();
        this.#prepuller.waiting();
        // Not before the first poll: the two would share the one connection that is open.
        if (polls === 1) void greet({ ...this.#options, outage: this.#greeting });
      },
      random: Math.random,
    });
  }

  /** One run after another that ended as `last`: a wait, and a job if there is one. */
  async #once(last: Outcome | undefined): Promise<RunEnd> {
    const { config, version, owner, clock, log, runDirectory, drain } = this.#options;
    const started = clock.steady();
    const space = config.singleRun ? undefined : processSpace();
    this.#record.event({ type: 'agent-started', version, owner, ...(space === undefined ? {} : { space }) });
    let end: RunEnd;
    try {
      if (config.singleRun) this.#record.open(runDirectory());
      await this.#getReady(last);
      this.#health.become('waiting');
      const waitingSince = clock.steady();
      const waited = await this.#waiting.forWork();
      this.#prepuller.rest();
      const waitSeconds = (clock.steady() - waitingSince) / 1000;
      end = 'claim' in waited ? await this.#runClaim(waited.claim, waitSeconds) : this.#idleEnd(waited, waitSeconds);
    } catch (error) {
      end = this.#end(runFailure(error), { waitSeconds: (clock.steady() - started) / 1000 });
    }
    const fault = this.#options.fault?.();
    if (fault !== undefined) end = { ...end, ...runFailure(fault), exitCode: 1 };
    // Before the record is closed, which tells what was removed.
    if (config.singleRun && this.#readiness.usable && !drain.aborted) this.#orphans.start();
    if (config.singleRun) await this.#orphans.end();
    this.#health.become('stopped');
    log(end.exitCode === 0 ? 'info' : 'error', `${end.outcome}: ${explained(end)}`);
    this.#options.onRun?.(undefined);
    try {
      this.#record.close(end);
    } catch (error) {
      log('error', `Failed to write the result for the run: ${messageOf(error)}.`);
    }
    this.#secrets.forget();
    this.#options.keptRuns?.ended();
    return end;
  }

  /** Proves what a claim will need, as far as it isn't known, and does once what comes before the first wait. */
  async #getReady(last: Outcome | undefined): Promise<void> {
    const { beforeWaiting, config, drain } = this.#options;
    if (last !== undefined && last !== 'succeeded') {
      this.#health.become('starting');
      await this.#readiness.proveExecutor();
    }
    if (last !== undefined) return;
    await this.#readiness.prove();
    if (drain.aborted || beforeWaiting === undefined) return;
    try {
      this.#pages = await beforeWaiting(this.#say, this.#health);
    } catch (error) {
      if (config.singleRun || drain.aborted) throw error;
      // To try it again could start a deployment twice, as could a supervisor that starts the agent again.
      this.#say('warning', `${clause(messageOf(error))}. The agent serves its pool all the same.`);
      this.#undone = { error };
    }
  }

  #idleEnd(waited: Exclude<Waited, { claim: Claim }>, waitSeconds: number): RunEnd {
    if (waited.ended === 'no-work') {
      if (this.#undone !== undefined) return this.#end(runFailure(this.#undone.error), { waitSeconds });
      return this.#end({ outcome: 'no-work', message: OUTCOMES['no-work'].sentence }, { waitSeconds });
    }
    const message = 'The agent was asked to stop while it waited; nothing had been claimed.';
    // An agent that goes on is ended like that by its service manager: nothing failed.
    return this.#end({ outcome: this.#options.config.singleRun ? 'interrupted' : 'no-work', message }, { waitSeconds });
  }

  async #runClaim(claim: Claim, waitSeconds: number): Promise<RunEnd> {
    const { config, clock, runDirectory } = this.#options;
    const claimedAt = momentOf(clock);
    try {
      if (!config.singleRun) this.#openRecord(runDirectory());
    } catch (error) {
      // Pulumi Cloud has given the deployment to nobody else: it is run without a record.
      this.#say('warning', messageOf(error));
    }
    const { deploymentId, runId, jobId } = claim;
    const page = this.#pages?.get(deploymentId);
    const known = { deploymentId, runId, jobId, waitSeconds, ...(page === undefined ? {} : { deploymentUrl: page }) };
    this.#options.onRun?.({ runId, jobId, deploymentId });
    this.#orphans.startSoon();
    this.#options.log('info', `Claimed deployment ${deploymentId} (job ${jobId}).`);
    const all = consoleUrl(config.serviceUrl, config.organizationName);
    this.#record.event({ type: 'claimed', ...known, ...(all === undefined ? {} : { consoleUrl: all }) });
    const end = await runClaim(claim, {
      ...this.#options,
      health: this.#health,
      secrets: this.#secrets,
      record: this.#record,
      notice: (message) => this.#say('warning', message),
    });
    this.#options.metrics.job({ ...end, seconds: passedSince(claimedAt, clock).surely / 1000 });
    return this.#end(end, { ...known, claimedAt });
  }

  /** For a lasting agent's job. Throws what RunRecord.open throws. */
  #openRecord(directory: string): void {
    this.#record.open(directory);
  }

  #end(ended: Ended, facts: RunFacts): RunEnd {
    return runEnd(ended, facts, this.#options.config, this.#options.clock);
  }

  /** To the log, and to the record what is more than for debugging. */
  readonly #say: OutageOptions['say'] = (level, message) => {
    this.#options.log(level, message);
    if (level !== 'debug') this.#record.notice(level, message);
  };
}
