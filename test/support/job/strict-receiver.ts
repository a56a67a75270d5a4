import { onTestFinished } from 'vitest';
import { CloudUnreachableError, refusedStatus } from '../../../src/cloud/errors.ts';
import type { JobApi, LogLines } from '../../../src/cloud/jobs.ts';
import type { Script } from '../../emulators/pulumi-cloud/faults.ts';
import { JobInProcess } from '../../emulators/pulumi-cloud/in-process.ts';
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
  readonly #job: JobInProcess;
  fate: Decision;
  /** Called with the lines of each log call. */
  onLines: (lines: LogLines['lines'], offset: number) => void = () => undefined;
  #arriving: LogLines['lines'] = [];

  constructor(fate: Decision, options: CloudModelOptions) {
    const steps = Array.from({ length: STEPS }, (_, index) => ({ name: `Step ${index}`, run: '' }));
    this.cloud = new CloudModel(options);
    this.#job = JobInProcess.claim(this.cloud, { steps });
    this.fate = fate;
    onTestFinished(() => this.cloud.close());
  }

  /** What was told of each step, by its index, as far as anything was. */
  get steps(): ReadonlyMap<number, { readonly statuses: readonly string[]; readonly lines: readonly string[] }> {
    const told = this.#job.deployment.steps.map(({ index, statusHistory, lines }) => {
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
    return this.#job.definition(signal);
  }

  stepStatus(index: number, status: 'running' | 'succeeded' | 'failed', signal: AbortSignal): Promise<void> {
    return this.#met(`${index} ${status}`, signal, (fault) => this.#job.stepStatus(index, status, signal, fault));
  }

  logs(index: number, batch: LogLines, signal: AbortSignal): Promise<void> {
    const call = `${index} logs ${batch.offset}+${batch.lines.length}`;
    this.#arriving = batch.lines;
    this.onLines(batch.lines, batch.offset);
    return this.#met(call, signal, (fault) => this.#job.logs(index, batch, signal, fault));
  }

  heartbeat(signal: AbortSignal): Promise<void> {
    return this.#job.heartbeat(signal);
  }

  async #met(call: string, signal: AbortSignal, make: (fault: Script | undefined) => Promise<void>): Promise<void> {
    signal.throwIfAborted();
    this.calls.push(call);
    const fate = await this.fate(call, this);
    const isTold = fate === 'taken' || fate === 'too-large';
    await make(scriptOf(fate)).catch((error: unknown) => {
      if (isTold) throw error;
    });
    if (fate instanceof Error) throw fate;
    if (!isTold)
      throw new CloudUnreachableError(`${call}: ${typeof fate === 'string' ? fate : 'stored in part'}`, {
        code: 'PRA-CLOUD-09',
      });
  }
}

function scriptOf(fate: Fate): Script | undefined {
  const path = /\/(?:logs|status)$/;
  if (fate === 'taken') return undefined;
  if (fate === 'too-large') return { path, answer: { status: 413 } };
  if (fate === 'not-arrived') return { path, answer: 'reset' };
  if (fate === 'answer-lost') return { path, when: 'after', answer: 'reset' };
  if (!(fate instanceof Error)) return { path, stores: fate.stored, answer: 'reset' };
  const status = refusedStatus(fate);
  return { path, answer: status === undefined ? 'reset' : { status } };
}
