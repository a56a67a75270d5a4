/*
 * A run's own deployments. trigger-first.ts starts them (start-deployments.ts, start-deployment.ts, with stacks.ts and
 * stack-version.ts); this file follows them. elsewhere.ts records those that another agent ran; verdict.ts says how they
 * ended, result.ts what they did, recorded-changes.ts and stack-lock.ts what Pulumi Cloud's record tells of any
 * job. queue.ts reads the queue of a pool, ask.ts asks with little or much patience.
 */

import { join } from 'node:path';
import { type Clock, NEVER } from '../../base/clock.ts';
import type { AgentConfig } from '../../base/config/agent-config.ts';
import { stackNamed } from '../../base/config/stack-pattern.ts';
import { defined } from '../../base/defined.ts';
import type { Log } from '../../base/log/level.ts';
import type { Outage } from '../../base/log/outage.ts';
import type { Redactor } from '../../base/log/redactor.ts';
import { exitCodeOf, messageOf, type Outcome, type Verdict } from '../../base/outcome.ts';
import type { OwnDeployment } from '../../record/deployment.ts';
import type { Reported, RunEnd, RunRecord } from '../../record/run-record.ts';
import { RUN_FILES } from '../../record/schema.ts';
import type { DeploymentApi, DeploymentName } from '../deployment-api.ts';
import type { DeploymentUpdate, DeploymentView } from '../deployment-wire.ts';
import { CloudCallError } from '../errors.ts';
import { recordElsewhere, secondsOf } from './elsewhere.ts';
import { inParallel } from './in-parallel.ts';
import { type DeploymentResult, driftUnknown, ranToItsEnd, resultOf, updatesOf } from './result.ts';
import type { StackOutputs } from './stack-outputs.ts';
import type { Starts } from './start-deployments.ts';
import { elsewhereVerdict, ownVerdict, skippedVerdict } from './verdict.ts';

/** The longest pause between two reads of the open deployments. */
const FOLLOW_MS = 10_000;

/** The longest pause between reads that Pulumi Cloud, or a gateway before it, can ask for. */
const LONGEST_PAUSE_MS = 5 * 60_000;

export interface OwnDeploymentsOptions {
  readonly starts: Starts;
  /** IDs of those that Pulumi Cloud lists for another pool, or for none. */
  readonly elsewhere: ReadonlySet<string>;
  readonly api: DeploymentApi;
  readonly config: Pick<
    AgentConfig,
    'operation' | 'serviceUrl' | 'pollingIntervalMs' | 'triggerTimeoutMs' | 'triggerCancel'
  >;
  /** The run directory, which contains each deployment's own. */
  readonly directory: string;
  readonly record: RunRecord;
  /** Makes the record of one deployment. */
  readonly newRecord: () => RunRecord;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly log: Log;
  readonly outage: Outage;
  /** Keeps the outputs of stacks whose deployments succeed; when absent, none are read. */
  readonly stackOutputs?: StackOutputs | undefined;
  /** Aborts when the run must end. */
  readonly drain: AbortSignal;
  /** True if an error is ending the run. */
  readonly isFaulty: () => boolean;
  /** Notes each answer of Pulumi Cloud. */
  readonly health: { active(): void };
}

interface Own {
  state: OwnDeployment;
  /** True if this agent's pool won't get it. */
  readonly isForOthers: boolean;
}

/**
 * The deployments that a run started and answers for: their state, here or elsewhere, and how they
 * ended.
 */
export class OwnDeployments {
  readonly #options: OwnDeploymentsOptions;
  readonly #all: readonly Own[];
  readonly #noneWaits = new AbortController();
  /** Aborts once none of them waits for this agent's pool, or the time for all is up. */
  readonly noneWaits = this.#noneWaits.signal;
  readonly #over = new AbortController();
  readonly #timeUp = new AbortController();
  /** Aborts requests whose answers no longer count. */
  readonly #asking: AbortSignal;
  /** No request before this time of the steady clock, as Pulumi Cloud asked. */
  #notBefore = Number.NEGATIVE_INFINITY;
  #following: Promise<void> = Promise.resolve();
  #reading: Promise<void> | undefined;
  #directories = 0;

  constructor(options: OwnDeploymentsOptions) {
    this.#options = options;
    this.#asking = AbortSignal.any([options.drain, this.#timeUp.signal]);
    const { operation = '' } = options.config;
    const { started, failed } = options.starts;

    this.#all = [
      ...started.map(({ assumed: _, ...each }) => ({
        state: { ...each, state: 'waiting' as const, ranHere: false },
        isForOthers: options.elsewhere.has(each.deploymentId),
      })),
      ...failed.map(({ stack, ...end }) => ({
        state: { stack, operation, ...end, state: 'ended' as const, ranHere: false },
        isForOthers: true,
      })),
    ];
  }

  get list(): readonly OwnDeployment[] {
    return this.#all.map(({ state }) => state);
  }

  /** Begins to follow them. Call `end()` to finish. */
  begin(): void {
    for (const { state } of this.#all) this.#options.record.event({ type: 'own-deployment', ...state });
    this.#settle();
    this.#following = this.#follow();
  }

  /** Reads the state of the open ones, or joins a read already under way. Never rejects. */
  read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** The first of them, which the run reports as its own. */
  get first(): { readonly deploymentId?: string; readonly deploymentUrl?: string } {
    const { deploymentId, consoleUrl: deploymentUrl } = this.#all[0]?.state ?? {};
    return defined({ deploymentId, deploymentUrl });
  }

  /**
   * Notes that this agent claimed a deployment, own or not. Returns its record's directory,
   * relative to the run's.
   */
  claimed(deploymentId: string): string {
    const directory = this.#newDirectory(deploymentId);
    const own = this.#find(deploymentId);
    if (own !== undefined) this.#change(own, { state: 'running', ranHere: true, directory });
    return directory;
  }

  /** Records how the run ends once the last deployment's end, claimed by this agent, is known. */
  reported(deploymentId: string, { type, outcome, message, code, reported }: Reported): void {
    const { record, config } = this.#options;
    const end = { state: 'ended', outcome, message, code } as const;
    const list = this.list.map((each) => (each.deploymentId === deploymentId ? { ...each, ...end } : each));
    if (list.some(({ state }) => state !== 'ended')) return;
    const verdict = ownVerdict(list, false, config.triggerTimeoutMs);
    record.event({ type, ...verdict, exitCode: exitCodeOf(verdict.outcome), reported });
  }

  /** Notes the end of a deployment that this agent claimed. */
  async ended(deploymentId: string, { outcome, message, code, runSeconds: seconds }: RunEnd): Promise<void> {
    const own = this.#find(deploymentId);
    if (own === undefined) return;
    const result = await this.#resultOf(own, outcome, await this.#updatesOf(own));
    this.#change(own, { state: 'ended', outcome, message, seconds, code, ...result });
  }

  /** Ends those that wait for this agent's pool with `verdict`, as they can't be claimed. */
  unclaimable(verdict: Verdict): void {
    for (const own of this.#all)
      if (own.state.state === 'waiting' && !own.isForOthers)
        this.#change(own, { state: 'ended', ...verdict });
  }

  /**
   * Waits until all end, the time is up, or the run must end and has cancelled what it should.
   * Never rejects.
   */
  async end(): Promise<Verdict> {
    await this.#following;
    const { drain, config } = this.#options;
    return ownVerdict(this.list, drain.aborted, config.triggerTimeoutMs);
  }

  #find(deploymentId: string): Own | undefined {
    return this.#all.find(({ state }) => state.deploymentId === deploymentId);
  }

  #newDirectory(deploymentId = ''): string {
    this.#directories += 1;
    const plain = deploymentId.replace(/[^\w-]/g, '').slice(0, 40);
    return `${RUN_FILES.deployments}/${String(this.#directories).padStart(3, '0')}-${plain}`;
  }

  #change(own: Own, change: Partial<OwnDeployment>): void {
    own.state = { ...own.state, ...change };
    this.#options.record.event({ type: 'own-deployment', ...own.state });
    this.#settle();
  }

  #settle(): void {
    if (!this.#all.some(({ state, isForOthers }) => state.state === 'waiting' && !isForOthers))
      this.#noneWaits.abort();
    if (this.#all.every(({ state }) => state.state === 'ended')) this.#over.abort();
  }

  async #follow(): Promise<void> {
    const { clock, config, drain, isFaulty } = this.#options;
    const end = AbortSignal.any([this.#over.signal, this.#asking]);
    const expire = () => this.#timeUp.abort();

    void clock.sleep(config.triggerTimeoutMs, end).then(expire, () => undefined);

    while (!end.aborted) {
      await clock.sleep(Math.min(FOLLOW_MS, config.pollingIntervalMs), end).catch(() => undefined);
      if (!end.aborted) await this.read();
    }

    this.#timeUp.abort();
    this.#noneWaits.abort();

    // At once: a job being interrupted here may take all the time that is left.
    if (drain.aborted && config.triggerCancel && !isFaulty()) await this.#cancel();
  }

  async #readAll(): Promise<void> {
    const { clock, outage } = this.#options;
    const isEarly = () => clock.steady() < this.#notBefore;
    if (isEarly()) return;

    const open = this.#all.filter(({ state }) => state.state !== 'ended' && !state.ranHere);
    let failure: unknown;

    await inParallel(open, async (own) => {
      if (isEarly()) return;

      try {
        await this.#readOne(own);
      } catch (error) {
        failure ??= error;
        const { retryAfterMs = 0 } = error instanceof CloudCallError ? error : {};
        this.#notBefore = Math.max(
          this.#notBefore,
          clock.steady() + Math.min(retryAfterMs, LONGEST_PAUSE_MS),
        );
      }
    });

    if (failure === undefined) outage.over();
    else if (!this.#asking.aborted) outage.failed(failure);
  }

  async #readOne(own: Own): Promise<void> {
    const { api, health } = this.#options;
    const view = await api.read(nameOf(own), this.#asking);

    health.active();

    // This agent may have claimed it meanwhile.
    if (own.state.ranHere || own.state.state === 'ended' || view.status === 'not-started') return;

    if (view.status === 'accepted' || view.status === 'running') {
      if (own.state.state === 'waiting') this.#change(own, { state: 'running' });
      return;
    }

    await this.#endElsewhere(own, view);
  }

  async #endElsewhere(own: Own, view: DeploymentView): Promise<void> {
    const { api, clock, config, log, newRecord, record, redactor, stackOutputs } = this.#options;
    const name = nameOf(own);
    const signal = this.#asking;
    const isSkipped = view.status === 'skipped';
    const reported = isSkipped
      ? await skippedVerdict(name, own.state, view, { api, clock, signal })
      : elsewhereVerdict(own.state, view);
    // One that was skipped made none.
    const updates = isSkipped ? undefined : await this.#updatesOf(own);
    const result = isSkipped ? {} : await this.#resultOf(own, reported.outcome, updates);
    const directory = this.#newDirectory(own.state.deploymentId);

    if (reported.outcome === 'succeeded') {
      const notice = (message: string) => record.notice('info', message);
      await stackOutputs?.add(name.stack, { api, notice, signal });
    }

    const verdict = await recordElsewhere(reported, own.state, {
      ...{ api, name, view, updates, newRecord, redactor, clock, log, signal },
      serviceUrl: config.serviceUrl,
      directory: join(this.#options.directory, directory),
    });

    this.#change(own, {
      state: 'ended',
      ...verdict,
      ...result,
      seconds: secondsOf(view.steps),
      directory,
    });
  }

  #updatesOf(own: Own): Promise<readonly DeploymentUpdate[] | undefined> {
    const { api, log } = this.#options;
    return updatesOf(nameOf(own), { api, log, signal: this.#asking });
  }

  async #resultOf(
    own: Own,
    outcome: Outcome,
    updates: readonly DeploymentUpdate[] | undefined,
  ): Promise<DeploymentResult> {
    const { api, clock, log, record } = this.#options;
    const { operation, stack } = own.state;
    const options = { api, clock, log, signal: this.#asking };
    const result = await resultOf(nameOf(own), { operation, outcome, updates }, options);
    if (operation === 'detect-drift' && ranToItsEnd(outcome) && result.drift === undefined)
      record.notice('info', driftUnknown(stack));
    return result;
  }

  async #cancel(): Promise<void> {
    const { api, log } = this.#options;
    const theirs = this.#all.filter(({ state }) => state.state !== 'ended' && !state.ranHere);

    await inParallel(theirs, async (own) => {
      try {
        // Its own deadline ends each call.
        await api.cancel(nameOf(own), NEVER);
        log('warning', `Cancelled the deployment of ${own.state.stack}, as trigger_cancel asks.`);
      } catch (error) {
        log('error', messageOf(error));
      }
    });
  }
}

function nameOf({ state: { stack, deploymentId = '' } }: Own): DeploymentName {
  return { stack: stackNamed(stack), deploymentId };
}
