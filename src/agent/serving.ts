import { join } from 'node:path';
import { momentOf, passedSince } from '../base/clock.ts';
import { stackNamed } from '../base/config/stack-pattern.ts';
import { defined } from '../base/defined.ts';
import { Outage, type Say } from '../base/log/outage.ts';
import type { SecretScope } from '../base/log/redactor.ts';
import { failureOf } from '../base/outcome.ts';
import type { DeploymentApi } from '../cloud/deployment-api.ts';
import { OwnDeployments } from '../cloud/deployments/own-deployments.ts';
import type { StackOutputs } from '../cloud/deployments/stack-outputs.ts';
import type { Triggered } from '../cloud/deployments/trigger-first.ts';
import { driftOf } from '../cloud/deployments/verdict.ts';
import { CloudUnreachableError, LostClaimError } from '../cloud/errors.ts';
import type { Claim } from '../cloud/job-wire.ts';
import type { Trial } from '../executor/trial.ts';
import { jobRecords } from '../record/digests.ts';
import { closeRecord, mirror, type RunEnd, RunRecord } from '../record/run-record.ts';
import type { SpanVariables, Trace, Tracing } from '../record/trace.ts';
import { ClaimPause } from './claim-pause.ts';
import type { AgentParts } from './claimed-run.ts';
import type { Health } from './health/health.ts';
import type { RunIds } from './logging/log-line.ts';
import type { Prepuller } from './prepuller.ts';
import type { Shutdown } from './process/shutdown.ts';
import { runEnd } from './runs/end.ts';
import { serveClaim } from './serve-claim.ts';
import type { Waiting, WaitingOptions } from './waiting.ts';

/** The parts of an agent that all of its runs share. */
export interface ServingParts extends AgentParts {
  readonly version: string;
  readonly shutdown: Shutdown;
  readonly trial: Trial;
  /** Reads deployments; absent without an access token. */
  readonly deployments?: DeploymentApi;
  /** Keeps the outputs of stacks whose deployments succeed; when absent, none are read. */
  readonly stackOutputs?: StackOutputs;
  /** Names the runs' traces; when absent, none is recorded. */
  readonly tracing?: Tracing;
  /** Called with the run being served, and with undefined when it has ended. */
  readonly onRun?: (run: RunIds | undefined) => void;
}

/** The parts of an agent that wait for work. */
interface WaitingParts {
  readonly newWaiting: (changes: Partial<WaitingOptions>) => Waiting;
  readonly prepuller: Prepuller;
}

const ONLY_FOLLOWS = 'this agent claims nothing more, and only follows the deployments that it started.';

/** Serves an agent's claims, each run with a record and a trace. */
export class Serving {
  /** The deployments that this agent started. */
  triggered: Triggered | undefined;
  /** How many claims it has served. */
  served = 0;
  /** Holds back the next claim after a fault of the runner. */
  readonly pause: ClaimPause;
  readonly #parts: ServingParts;
  readonly #health: Health;
  readonly #say: Say;
  /** The current job's secrets, redacted until its record is closed. */
  readonly #secrets: SecretScope;

  constructor(parts: ServingParts, health: Health, say: Say) {
    this.#parts = parts;
    this.#health = health;
    this.#say = say;
    this.pause = new ClaimPause({ ...parts, health, say, random: Math.random });
    this.#secrets = parts.redactor.scope();
  }

  newRecord(onEvent = this.#parts.metrics.event.bind(this.#parts.metrics)): RunRecord {
    const { version, owner, clock, redactor } = this.#parts;
    return new RunRecord({
      version,
      owner,
      now: () => clock.now(),
      redact: (text) => redactor.text(text),
      onEvent,
      traceOf: (deploymentId) => this.#traceOf(deploymentId),
    });
  }

  /** Closes a record, and forgets the job's IDs and secrets. */
  close(record: RunRecord, end: RunEnd): void {
    const { log } = this.#parts;
    this.#onRun(undefined);
    closeRecord(record, end, (message) => log('error', message));
    this.#secrets.forget();
  }

  /** Serves a claim into `record`, which `directory` opens. Never throws. */
  async claim(
    claim: Claim,
    waitSeconds: number,
    record: RunRecord,
    directory: string | undefined,
  ): Promise<RunEnd> {
    this.served += 1;
    const { tracing, stackOutputs, shutdown, log } = this.#parts;
    const started = this.triggered?.starts.started.find((each) => each.deploymentId === claim.deploymentId);
    const { api = this.#parts.deployments, recheck } = this.triggered ?? {};

    const end = await serveClaim(claim, waitSeconds, {
      ...this.#parts,
      health: this.#health,
      secrets: this.#secrets,
      record,
      directory,
      started,
      deployments: api,
      onRun: this.#onRun,
      onEnd: (end) => this.pause.ended(end),
      mayStep: recheck && started && ((signal: AbortSignal) => recheck(stackNamed(started.stack), signal)),
      spanVariables: tracing?.variablesOf && ((index: number) => this.#variablesOf(claim, index)),
    });

    // Of the run's own or, without any, of the deployment that it claimed, by the name that Pulumi Cloud gave it.
    const isOwn = this.triggered === undefined || started !== undefined;
    if (isOwn && api !== undefined && end.outcome === 'succeeded' && end.identity?.proven === true) {
      const notice = (message: string) => {
        log('info', message);
        record.notice('info', message);
      };
      await stackOutputs?.add(end.identity, { api, notice, signal: shutdown.drain });
    }

    return end;
  }

  /**
   * Serves the pool while deployments that the run started wait there, and follows those elsewhere,
   * until all end. Each job has a record, whose events the run's repeats.
   */
  async own(triggered: Triggered, run: RunRecord, directory: string, waits: WaitingParts): Promise<RunEnd> {
    const { config, clock, shutdown } = this.#parts;

    const own = new OwnDeployments({
      ...this.#parts,
      ...triggered,
      directory,
      record: run,
      newRecord: () => this.newRecord(() => undefined),
      outage: new Outage('Following the deployments', { say: this.#say, clock }),
      drain: shutdown.drain,
      isFaulty: () => shutdown.error !== undefined,
      health: this.#health,
    });

    const began = momentOf(clock);
    own.begin();
    const waitSeconds = await this.#servePool(own, run, directory, waits);

    // For deployments that run elsewhere.
    this.#health.become('waiting');

    const verdict = await own.end();
    const runSeconds = passedSince(began, clock).atLeast / 1000;
    const end = runEnd(verdict, { waitSeconds, ...own.first }, config, clock);
    const records = await jobRecords(directory);

    return {
      ...end,
      runSeconds,
      deployments: [...own.list],
      records,
      ...defined({ drift: driftOf(own.list) }),
    };
  }

  /** Serves the pool while own deployments wait there. Returns the seconds without work. Never throws. */
  async #servePool(
    own: OwnDeployments,
    run: RunRecord,
    directory: string,
    { newWaiting, prepuller }: WaitingParts,
  ): Promise<number> {
    const { clock, shutdown, version, owner, redactor } = this.#parts;
    const { drain } = shutdown;
    const until = AbortSignal.any([drain, own.noneWaits]);
    const waiting = newWaiting({ drain: until, outlastsOutages: true, beforePoll: () => own.read() });
    let waitSeconds = 0;

    try {
      while (!until.aborted) {
        this.#health.become('waiting');

        const since = clock.steady();
        const waited = await waiting.forWork().finally(() => {
          waitSeconds += (clock.steady() - since) / 1000;
        });

        prepuller.rest();

        if (!('claim' in waited)) {
          if (waited.ended === 'no-work')
            this.#say('warning', `No work came within max_wait: ${ONLY_FOLLOWS}`);
          break;
        }

        const { deploymentId } = waited.claim;
        const path = own.claimed(deploymentId);
        const record = this.newRecord(mirror(run, path, (event) => own.reported(deploymentId, event)));
        record.event({ type: 'agent-started', version, owner });
        const end = await this.claim(waited.claim, waitSeconds, record, join(directory, path));

        // Redact now: the run's record quotes this after the job's secrets are forgotten.
        const message = redactor.text(end.message);
        this.close(record, end);

        await own.ended(deploymentId, { ...end, message });
        this.#health.become('waiting');
        await this.pause.over(until);
      }
    } catch (error) {
      if (error instanceof LostClaimError)
        this.#say('warning', `The answers to several polls in a row were lost: ${ONLY_FOLLOWS}`);
      if (!drain.aborted && !(error instanceof CloudUnreachableError)) own.unclaimable(failureOf(error));
    }

    return waitSeconds;
  }

  /** The trace of a single run that starts deployments is that of the first. */
  #traceOf(deploymentId: string | undefined): Trace | undefined {
    const { config, tracing } = this.#parts;
    const first = config.singleRun ? this.triggered?.starts.started[0]?.deploymentId : undefined;
    return tracing?.traceOf(first ?? deploymentId);
  }

  #variablesOf({ deploymentId, jobId }: Claim, index: number): SpanVariables {
    const trace = this.#traceOf(deploymentId);
    return (trace && this.#parts.tracing?.variablesOf?.(trace, jobId, index)) ?? {};
  }

  readonly #onRun = (run: RunIds | undefined): void => {
    this.#health.serves(run);
    this.#parts.onRun?.(run);
  };
}
