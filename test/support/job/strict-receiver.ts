import { onTestFinished } from 'vitest';
import { CloudUnreachableError, refusedStatus } from '../../../src/cloud/errors.ts';
import type { JobApi, LogLines } from '../../../src/cloud/jobs.ts';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import type { Script } from '../../emulators/pulumi-cloud/faults.ts';
import { claimInProcess } from '../../emulators/pulumi-cloud/in-process.ts';
import { CloudModel } from '../../emulators/pulumi-cloud/model.ts';
import type { CloudModelOptions } from '../../emulators/pulumi-cloud/options.ts';

/**
 * What becomes of a call: it is taken, it never arrives, its answer is lost, it is too large, its first lines are stored and its
 * answer is lost, or it fails as given.
 */
export type Fate = 'taken' | 'not-arrived' | 'answer-lost' | 'too-large' | { readonly stored: number } | Error;

/** Decides on a call, such as `1 running` or `1 logs 0+3`. */
export type Decision = (call: string, receiver: StrictReceiver) => Fate | Promise<Fate>;

/** Steps of the job. */
const STEPS = 64;

/** The reports' side of the model of Pulumi Cloud, the fate of every call in a test's hand. A violation fails the test. */
export class StrictReceiver implements Pick<JobApi, 'definition' | 'stepStatus' | 'logs' | 'heartbeat'> {
  readonly cloud: CloudModel;
  /** Every call in order: `1 running`, `1 logs 0+3`. */
  readonly calls: string[] = [];
  readonly #deployment: Deployment;
  readonly #api: JobApi;
  fate: Decision;
  /** Called with the lines of each log call. */
  onLines: (lines: LogLines['lines'], offset: number) => void = () => undefined;
  #arriving: LogLines['lines'] = [];

  constructor(fate: Decision, options: CloudModelOptions) {
    const steps = Array.from({ length: STEPS }, (_, index) => ({ name: `Step ${index}`, run: '' }));
    this.cloud = new CloudModel(options);
    this.#deployment = this.cloud.enqueue({ project: 'web', stack: 'dev', poolId: 'pool-1', job: { steps } });
    this.#api = claimInProcess(this.cloud, this.#deployment);
    this.fate = fate;
    onTestFinished(() => this.cloud.close());
  }

  /** What was told of each step, by its index, as far as anything was. */
  get steps(): ReadonlyMap<number, { readonly statuses: readonly string[]; readonly lines: readonly string[] }> {
    const told = this.#deployment.steps.map(({ index, statusHistory, lines }) => {
      return [index, { statuses: statusHistory.map(({ status }) => status), lines: lines.map(({ l }) => l) }] as const;
    });
    return new Map(told.filter(([, { statuses, lines }]) => statuses.length + lines.length > 0));
  }

  /** Bytes of JSON of the lines that came last. */
  get size(): number {
    return Buffer.byteLength(JSON.stringify(this.#arriving));
  }

  /** True when one of the lines that came last begins like this. */
  holds(beginning: string): boolean {
    return this.#arriving.some(({ l }) => l.startsWith(beginning));
  }

  get violations(): readonly string[] {
    return this.cloud.violations;
  }

  definition(signal: AbortSignal): ReturnType<JobApi['definition']> {
    return this.#api.definition(signal);
  }

  stepStatus(index: number, status: 'running' | 'succeeded' | 'failed', signal: AbortSignal): Promise<void> {
    return this.#met(`${index} ${status}`, `${index}/status`, signal, () =>
      this.#api.stepStatus(index, status, signal),
    );
  }

  logs(index: number, batch: LogLines, signal: AbortSignal): Promise<void> {
    const call = `${index} logs ${batch.offset}+${batch.lines.length}`;
    this.#arriving = batch.lines;
    this.onLines(batch.lines, batch.offset);
    return this.#met(call, `${index}/logs`, signal, () => this.#api.logs(index, batch, signal));
  }

  heartbeat(signal: AbortSignal): Promise<void> {
    return this.#api.heartbeat(signal);
  }

  async #met(call: string, path: string, signal: AbortSignal, make: () => Promise<void>): Promise<void> {
    signal.throwIfAborted();
    this.calls.push(call);
    const fate = await this.fate(call, this);
    const isTold = fate === 'taken' || fate === 'too-large';
    const fault = faultOf(fate);
    const script = fault && this.cloud.script({ ...fault, path: new RegExp(`${this.#deployment.jobId}/${path}$`) });
    try {
      await make();
    } catch (error) {
      if (isTold) throw error;
    } finally {
      script?.remove();
    }
    if (fate instanceof Error) throw fate;
    if (!isTold)
      throw new CloudUnreachableError(`${call}: ${typeof fate === 'string' ? fate : 'stored in part'}`, {
        code: 'PRA-CLOUD-09',
      });
  }
}

function faultOf(fate: Fate): Omit<Script, 'path'> | undefined {
  if (fate === 'taken') return undefined;
  if (fate === 'too-large') return { answer: { status: 413 } };
  if (fate === 'not-arrived') return { answer: 'reset' };
  if (fate === 'answer-lost') return { when: 'after', answer: 'reset' };
  if (!(fate instanceof Error)) return { stores: fate.stored, answer: 'reset' };
  const status = refusedStatus(fate);
  return { answer: status === undefined ? 'reset' : { status } };
}
