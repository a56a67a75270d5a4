import { setImmediate } from 'node:timers/promises';
import { momentOf, passedSince } from '../clock.ts';
import { consoleUrl } from '../cloud/console-url.ts';
import type { Claim } from '../cloud/wire.ts';
import type { SecretScope } from '../log/redactor.ts';
import { exitCodeOf, messageOf, OUTCOMES, type Outcome } from '../outcome.ts';
import { processSpace } from '../record/fate.ts';
import type { ClaimedRunOptions } from './claimed-run.ts';
import { containerSettings } from './container-settings.ts';
import { Health } from './health/health.ts';
import type { Metrics } from './health/metrics.ts';
import { onceSent } from './health/request-watch.ts';
import type { KeptRuns } from './kept-runs.ts';
import type { Notice, RunIds } from './logging/log-line.ts';
import { OrphanSweep } from './orphans.ts';
import { Prepuller } from './prepuller.ts';
import { Readiness } from './readiness.ts';
import { type Ended, type RunFacts, runEnd } from './run-end.ts';
import { explained, runFailure } from './run-failure.ts';
import { type RunEnd, RunRecord } from './run-record.ts';
import { waitForWork } from './waiting.ts';

export interface AgentOptions extends Omit<ClaimedRunOptions, 'health' | 'record' | 'notice' | 'secrets'> {
  readonly version: string;
  readonly metrics: Metrics;
  /** Names the directory of the next run. */
  readonly runDirectory: () => string;
  /** Removes the directories of old runs; without it they all stay. */
  readonly keptRuns?: Pick<KeptRuns, 'began' | 'ended' | 'end'>;
  /** Aborts when nothing more may be claimed. */
  readonly drain: AbortSignal;
  /**
   * Done once, before the first wait for work; a failure ends the run before anything is claimed. Returns the pages of the
   * deployments that it started, as far as they are known, by the deployments' IDs.
   */
  readonly beforeWaiting?: (notice: Notice, health: Pick<Health, 'active'>) => Promise<ReadonlyMap<string, string>>;
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
  #record: RunRecord;
  /** The pages of the deployments that were started here, by the deployments' IDs. */
  #pages: ReadonlyMap<string, string> | undefined;

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
      notice: this.#notice,
    });
    this.#orphans = new OrphanSweep({
      target: options.target,
      host: options.owner.host,
      steady: () => options.clock.steady(),
      random: Math.random,
      onRemoved: (line) => this.#notice('info', `${line} The agent that it belonged to is dead.`),
      onFailure: (message, again) =>
        options.log(again ? 'debug' : 'warning', `What dead agents left could not be looked for: ${message}`),
    });
    this.#prepuller = new Prepuller({
      ...options,
      images: options.config.prepullImages,
      policy: containerSettings(options.config).policy,
      notice: this.#notice,
    });
  }

  /** Runs to the end. Returns the exit code. Never throws: every way to end has an outcome. */
  async run(): Promise<number> {
    const { config, drain, target } = this.#options;
    try {
      for (let outcome: Outcome | undefined; ; ) {
        outcome = await this.#once(outcome);
        const ends = config.singleRun || drain.aborted || !this.#readiness.usable || ENDING.has(outcome);
        if (ends) return exitCodeOf(outcome, config);
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

  /** One run after another that ended as `last`: a wait, and a job if there is one. */
  async #once(last: Outcome | undefined): Promise<Outcome> {
    const { config, version, owner, clock, log, runDirectory, drain } = this.#options;
    const started = clock.steady();
    const space = config.singleRun ? undefined : processSpace();
    this.#record.event({ type: 'agent-started', version, owner, ...(space === undefined ? {} : { space }) });
    let end: RunEnd;
    try {
      if (config.singleRun) this.#record.open(runDirectory());
      if (last === undefined) {
        await this.#readiness.prove();
        this.#pages = await this.#options.beforeWaiting?.(this.#notice, this.#health);
      } else if (last === 'target-error') await this.#readiness.proveTarget();
      end = await this.#waitAndRun();
    } catch (error) {
      end = this.#end(runFailure(error), { waitSeconds: (clock.steady() - started) / 1000 });
    }
    // Before the record is closed, which tells what was removed.
    if (config.singleRun && this.#readiness.usable && !drain.aborted) this.#orphans.start();
    if (config.singleRun) await this.#orphans.end();
    this.#health.become('stopped');
    log(end.exitCode === 0 ? 'info' : 'error', `${end.outcome}: ${await explained(end)}`);
    this.#options.onRun?.(undefined);
    try {
      this.#record.close(end);
    } catch (error) {
      log('error', `Failed to write the result for the run: ${messageOf(error)}.`);
    }
    this.#secrets.forget();
    this.#options.keptRuns?.ended();
    return end.outcome;
  }

  async #waitAndRun(): Promise<RunEnd> {
    const { config, clock, log, metrics, pool, http, drain } = this.#options;
    const started = clock.steady();
    this.#health.become('waiting');
    const unwatch = onceSent('poll', () => void this.#warmUp());
    const waited = await waitForWork({
      poll: (signal, noMoreTries) => metrics.timedPoll(() => pool.poll(signal, noMoreTries), noMoreTries),
      broken: () => http.broken,
      pollingIntervalMs: config.pollingIntervalMs,
      pollingIntervalOverride: config.pollingIntervalOverride,
      ...(config.maxWaitMs === undefined ? {} : { maxWaitMs: config.maxWaitMs }),
      singleRun: config.singleRun,
      clock,
      drain,
      onAnswer: () => this.#health.active(),
      onWait: (polls, nextPollSeconds) => {
        this.#record.event({ type: 'waiting', polls, nextPollSeconds });
        this.#orphans.waiting();
        this.#prepuller.waiting();
        // Not before the first poll: the two would share the one connection that is open.
        if (polls === 1) void pool.bootstrap(drain).catch((error: unknown) => log('debug', String(error)));
      },
      onFailure: (error) => this.#notice('warning', error.message),
      random: Math.random,
    }).finally(unwatch);
    this.#prepuller.rest();
    const waitSeconds = (clock.steady() - started) / 1000;
    if ('claim' in waited) return this.#runClaim(waited.claim, waitSeconds);
    if (waited.ended === 'no-work')
      return this.#end({ outcome: 'no-work', message: OUTCOMES['no-work'].sentence }, { waitSeconds });
    const message = 'The agent was asked to stop while it waited; nothing had been claimed.';
    // An agent that goes on is ended like that by its service manager: nothing failed.
    return this.#end({ outcome: config.singleRun ? 'interrupted' : 'no-work', message }, { waitSeconds });
  }

  /** Loads what a claim will need while the poll is answered. */
  async #warmUp(): Promise<void> {
    // Told of the poll right before its bytes go: this would hold them up.
    await setImmediate();
    try {
      await Promise.all([import('./claimed-run.ts'), import('../cloud/wire.ts'), this.#options.target.warmUp?.()]);
      this.#options.redactor.prepare();
    } catch (error) {
      // Whatever needs it fails by itself, and says so.
      this.#options.log('debug', String(error));
    }
  }

  async #runClaim(claim: Claim, waitSeconds: number): Promise<RunEnd> {
    const { config, clock, runDirectory } = this.#options;
    const claimedAt = momentOf(clock);
    try {
      if (!config.singleRun) this.#openRecord(runDirectory());
    } catch (error) {
      // Pulumi Cloud has given the deployment to nobody else: it is run without a record.
      this.#notice('warning', messageOf(error));
    }
    const { deploymentId, runId, jobId } = claim;
    const page = this.#pages?.get(deploymentId);
    const known = { deploymentId, runId, jobId, waitSeconds, ...(page === undefined ? {} : { deploymentUrl: page }) };
    this.#options.onRun?.({ runId, jobId, deploymentId });
    this.#orphans.startSoon();
    this.#options.log('info', `Claimed deployment ${deploymentId} (job ${jobId}).`);
    const all = consoleUrl(config.serviceUrl, config.organizationName);
    this.#record.event({ type: 'claimed', ...known, ...(all === undefined ? {} : { consoleUrl: all }) });
    const { runClaim } = await import('./claimed-run.ts');
    const end = await runClaim(claim, {
      ...this.#options,
      health: this.#health,
      secrets: this.#secrets,
      record: this.#record,
      notice: (message) => this.#notice('warning', message),
    });
    this.#options.metrics.job({ ...end, seconds: passedSince(claimedAt, clock).surely / 1000 });
    return this.#end(end, { ...known, claimedAt });
  }

  /** For a lasting agent's job. Throws what RunRecord.open throws. */
  #openRecord(directory: string): void {
    this.#options.keptRuns?.began(directory);
    this.#record.open(directory);
  }

  #end(ended: Ended, facts: RunFacts): RunEnd {
    return runEnd(ended, facts, this.#options.config, this.#options.clock);
  }

  readonly #notice: Notice = (level, message) => {
    this.#options.log(level, message);
    this.#record.notice(level, message);
  };
}

/** Outcomes after which a lasting agent has nothing to go on with. */
const ENDING: ReadonlySet<Outcome> = new Set(['config-error', 'auth-error', 'no-work']);
