import { join } from 'node:path';
import { type Clock, sleepUntil } from '../../clock.ts';
import type { Outage } from '../../cloud/outage.ts';
import type { DeploymentView } from '../../cloud/started-deployments.ts';
import type { AgentConfig } from '../../config/agent-config.ts';
import { formatDuration } from '../../config/duration.ts';
import { type StackName, stackNamed } from '../../config/stack-pattern.ts';
import { defined } from '../../defined.ts';
import type { Verdict } from '../../job/job-end.ts';
import type { Redactor } from '../../log/redactor.ts';
import { messageOf } from '../../outcome.ts';
import type { OwnDeployment } from '../../record/deployment.ts';
import type { RunEnd, RunRecord } from '../../record/run-record.ts';
import type { RecordEventBody } from '../../record/schema.ts';
import type { Log } from '../logging/agent-log.ts';
import type { Triggered } from '../on-demand/trigger-first.ts';
import { elsewhereVerdict, recordElsewhere, secondsOf } from './elsewhere-record.ts';
import { ownVerdict } from './verdict.ts';

/** Milliseconds between two readings of those that have not ended, at most. */
const FOLLOW_MS = 10_000;
/** Requests under way at a time. */
const PARALLEL = 4;

const OPERATIONS_OF_DRIFT: ReadonlySet<string> = new Set(['detect-drift', 'remediate-drift']);

export interface OwnDeploymentsOptions extends Triggered {
  readonly config: Pick<
    AgentConfig,
    'operation' | 'serviceUrl' | 'pollingIntervalMs' | 'triggerTimeoutMs' | 'triggerCancel'
  >;
  /** The run directory: each deployment's own lies in it. */
  readonly directory: string;
  /** The run's. */
  readonly record: RunRecord;
  /** A deployment's own record. */
  readonly newRecord: () => RunRecord;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly log: Log;
  readonly outage: Outage;
  /** Aborts when the run is to end. */
  readonly drain: AbortSignal;
  /** Called for each round of answers. */
  readonly onAnswer: () => void;
}

interface Own {
  state: OwnDeployment;
  readonly name: StackName;
  /** It waits for another pool than this agent's. */
  readonly isForOthers: boolean;
}

/** The deployments that a run started and answers for: how they stand, whoever runs them, and how they ended. */
export class OwnDeployments {
  readonly #options: OwnDeploymentsOptions;
  readonly #all: readonly Own[];
  readonly #noneWaits = new AbortController();
  readonly #over = new AbortController();
  readonly #timeUp = new AbortController();
  #following: Promise<void> = Promise.resolve();
  #reading: Promise<void> | undefined;
  #directories = 0;

  constructor(options: OwnDeploymentsOptions) {
    this.#options = options;
    const { starts, config } = options;
    const { operation = '' } = config;
    const { started, failed } = starts;
    this.#all = [
      ...started.map(({ assumed: _, ...each }) => ({
        state: {
          ...each,
          ...defined({ consoleUrl: options.pages.get(each.deploymentId) }),
          state: 'waiting' as const,
          ranHere: false,
        },
        name: stackNamed(each.stack),
        isForOthers: options.elsewhere.has(each.deploymentId),
      })),
      ...failed.map(({ stack, ...end }) => ({
        state: { stack, operation, ...end, state: 'ended' as const, ranHere: false },
        name: stackNamed(stack),
        isForOthers: true,
      })),
    ];
  }

  /** Aborts once none of them waits for this agent's pool any more, or the time for all is up. */
  get noneWaits(): AbortSignal {
    return this.#noneWaits.signal;
  }

  /** All of them as they stand. */
  get list(): readonly OwnDeployment[] {
    return this.#all.map(({ state }) => state);
  }

  /** Begins to follow. End it with `end()`. */
  begin(): void {
    for (const { state } of this.#all) this.#options.record.event({ type: 'own-deployment', ...state });
    this.#settle();
    this.#following = this.#follow();
  }

  /** Reads how those stand that have not ended, unless it is done already. Never rejects. */
  read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** What the run tells of itself: the first of them. */
  get first(): { readonly deploymentId?: string; readonly deploymentUrl?: string } {
    const { deploymentId, consoleUrl: deploymentUrl } = this.#all[0]?.state ?? {};
    return defined({ deploymentId, deploymentUrl });
  }

  /** One of them found drift; undefined where none looked for it. */
  get drift(): boolean | undefined {
    const found = this.list.map(({ drift }) => drift).filter((drift) => drift !== undefined);
    return found.length === 0 ? undefined : found.includes(true);
  }

  /** This agent claimed a deployment, of the run's own or not. Returns the directory for its record, as a path inside the run's. */
  claimed(deploymentId: string): string {
    const directory = this.#newDirectory(deploymentId);
    const own = this.#find(deploymentId);
    if (own !== undefined) this.#change(own, { state: 'running', ranHere: true, directory });
    return directory;
  }

  /** A deployment that this agent claimed has ended. */
  async ended(deploymentId: string, { outcome, message, code, runSeconds: seconds }: RunEnd): Promise<void> {
    const own = this.#find(deploymentId);
    if (own === undefined) return;
    const result = await this.#resultOf(own);
    this.#change(own, { state: 'ended', outcome, message, seconds, ...result, ...defined({ code }) });
  }

  /** What waits for this agent's pool can't be claimed: that is how it ends. */
  unclaimable(verdict: Verdict): void {
    for (const own of this.#all)
      if (own.state.state === 'waiting' && !own.isForOthers) this.#change(own, { state: 'ended', ...verdict });
  }

  /** Waits until all have ended, the time is up, or the run is to end; cancels then what is to be cancelled. Never rejects. */
  async end(): Promise<Verdict> {
    await this.#following;
    const { drain, config } = this.#options;
    if (drain.aborted && config.triggerCancel) await this.#cancel();
    return ownVerdict(this.list, this.#cut());
  }

  #cut(): Verdict | undefined {
    const { drain, config } = this.#options;
    if (drain.aborted) return { outcome: 'interrupted', code: 'PRA-JOB-05', message: 'The CI job interrupted the run' };
    const time = formatDuration(config.triggerTimeoutMs);
    const message = `Failed to follow the deployments for the run: trigger_timeout (${time}) is over`;
    return { outcome: 'failed', code: 'PRA-TRIGGER-08', message };
  }

  #find(deploymentId: string): Own | undefined {
    return this.#all.find(({ state }) => state.deploymentId === deploymentId);
  }

  #newDirectory(deploymentId: string): string {
    this.#directories += 1;
    const plain = deploymentId.replace(/[^\w-]/g, '').slice(0, 40);
    return `deployments/${String(this.#directories).padStart(3, '0')}-${plain}`;
  }

  #change(own: Own, news: Partial<OwnDeployment>): void {
    own.state = { ...own.state, ...news };
    this.#options.record.event({ type: 'own-deployment', ...own.state });
    this.#settle();
  }

  #settle(): void {
    if (!this.#all.some(({ state, isForOthers }) => state.state === 'waiting' && !isForOthers)) this.#noneWaits.abort();
    if (this.#all.every(({ state }) => state.state === 'ended')) this.#over.abort();
  }

  async #follow(): Promise<void> {
    const { clock, drain, config } = this.#options;
    const until = clock.steady() + config.triggerTimeoutMs;
    const ends = [this.#over.signal, drain];
    while (!ends.some(({ aborted }) => aborted)) {
      const left = until - clock.steady();
      if (left <= 0) break;
      await sleepUntil(Math.min(FOLLOW_MS, config.pollingIntervalMs, left), clock, ends);
      if (!ends.some(({ aborted }) => aborted)) await this.read();
    }
    this.#timeUp.abort();
    this.#noneWaits.abort();
  }

  async #readAll(): Promise<void> {
    const { outage, onAnswer } = this.#options;
    const open = this.#all.filter(({ state }) => state.state !== 'ended' && !state.ranHere);
    let failure: unknown;
    await inParallel(open, async (own) => {
      try {
        await this.#readOne(own);
      } catch (error) {
        failure ??= error;
      }
    });
    if (failure === undefined) onAnswer();
    if (failure === undefined) outage.over();
    else if (!this.#options.drain.aborted) outage.failed(failure);
  }

  async #readOne(own: Own): Promise<void> {
    const { api, drain } = this.#options;
    const { deploymentId = '' } = own.state;
    const view = await api.read({ stack: own.name, deploymentId }, drain);
    // This agent may have claimed it meanwhile.
    if (own.state.ranHere || own.state.state === 'ended') return;
    if (view.status === 'not-started') return;
    if (view.status === 'accepted' || view.status === 'running') {
      if (own.state.state === 'waiting') this.#change(own, { state: 'running' });
      return;
    }
    await this.#endElsewhere(own, deploymentId, view);
  }

  async #endElsewhere(own: Own, deploymentId: string, view: DeploymentView): Promise<void> {
    const { clock, newRecord, directory: parent, config, drain, redactor, api } = this.#options;
    const { serviceUrl } = config;
    const result = await this.#resultOf(own);
    const verdict = elsewhereVerdict(own.state, view);
    const directory = this.#newDirectory(deploymentId);
    const name = { stack: own.name, deploymentId };
    const record = newRecord();
    try {
      record.open(join(parent, directory));
      const signal = AbortSignal.any([drain, this.#timeUp.signal]);
      const steps = await recordElsewhere({ api, name, view, record, redactor, clock, signal });
      const runSeconds = secondsOf(view);
      const { consoleUrl: deploymentUrl } = own.state;
      record.close({
        ...verdict,
        exitCode: verdict.outcome === 'succeeded' ? 0 : 1,
        serviceUrl,
        deploymentId,
        ...defined({ deploymentUrl }),
        waitSeconds: 0,
        runSeconds,
        forwarded: [],
        steps,
        elsewhere: true,
      });
      this.#change(own, { state: 'ended', ...verdict, ...result, seconds: runSeconds, directory });
    } catch (error) {
      record.notice('warning', messageOf(error));
      this.#options.log('warning', `The record of ${own.state.stack} is incomplete: ${messageOf(error)}`);
      this.#change(own, { state: 'ended', ...verdict, ...result });
    }
  }

  /** What a deployment did, where Pulumi Cloud tells. */
  async #resultOf({ state: { deploymentId = '', operation }, name }: Own) {
    const { api, drain, log } = this.#options;
    const signal = AbortSignal.any([drain, this.#timeUp.signal]);
    const asked = async <T>(what: Promise<T>): Promise<T | undefined> => {
      try {
        return await what;
      } catch (error) {
        log('debug', messageOf(error));
        return undefined;
      }
    };
    const changes = await asked(api.changes({ stack: name, deploymentId }, signal));
    if (!OPERATIONS_OF_DRIFT.has(operation)) return defined({ changes });
    const drift = (await asked(api.drift(name, signal))) ?? (changes === undefined ? undefined : differs(changes));
    return defined({ changes, drift });
  }

  async #cancel(): Promise<void> {
    const { api, log } = this.#options;
    // Its own deadline ends each call.
    const never = new AbortController().signal;
    const theirs = this.#all.filter(({ state }) => state.state !== 'ended' && !state.ranHere);
    await inParallel(theirs, async ({ name, state: { stack, deploymentId = '' } }) => {
      try {
        await api.cancel({ stack: name, deploymentId }, never);
        log('warning', `Cancelled the deployment ${deploymentId} of ${stack}, as trigger_cancel asks.`);
      } catch (error) {
        log('error', messageOf(error));
      }
    });
  }
}

/** True when anything but `same` was counted. */
function differs(changes: Readonly<Record<string, number>>): boolean {
  return Object.entries(changes).some(([kind, number]) => kind !== 'same' && number > 0);
}

async function inParallel<T>(list: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const rest = list.values();
  const worker = async () => {
    for (const each of rest) await work(each);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}

/** Repeats the events of a record that lies in `directory` in the run's own, whose readers then see them as they come. */
export function mirror(record: RunRecord, directory: string): (event: RecordEventBody) => void {
  return (event) => {
    if (event.type === 'agent-started' || event.type === 'outcome') return;
    if (event.type === 'notice') record.notice(event.level, event.message);
    else if (event.type === 'step-started') record.event({ ...event, log: `${directory}/${event.log}` });
    else record.event(event);
  };
}
