import { onTestFinished } from 'vitest';
import type { JobApi, LogLines } from '../../../src/cloud/jobs.ts';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import type { Script } from '../../emulators/pulumi-cloud/faults.ts';
import { claimInProcess } from '../../emulators/pulumi-cloud/in-process.ts';
import { CloudModel } from '../../emulators/pulumi-cloud/model.ts';
import type { CloudModelOptions } from '../../emulators/pulumi-cloud/options.ts';

/** What becomes of a call: it is taken, it never arrives, its answer is lost, or it is answered with this status. */
export type Fate = 'taken' | 'not-arrived' | 'answer-lost' | number;

/** Decides on a call, such as `1 running` or `1 logs 0+3`. */
export type Decision = (call: string, receiver: StrictReceiver) => Fate;

/** Steps of the job. */
const STEPS = 64;

/** The reports' side of the model of Pulumi Cloud, the fate of every call in a test's hand. A violation fails the test. */
export class StrictReceiver implements Pick<JobApi, 'stepStatus' | 'logs' | 'heartbeat'> {
  /** Every call in order: `1 running`, `1 logs 0+3`. */
  readonly calls: string[] = [];
  readonly #cloud: CloudModel;
  readonly #deployment: Deployment;
  readonly #api: JobApi;
  fate: Decision;
  /** Called with the lines of each log call. */
  onLines: (lines: LogLines['lines'], offset: number) => void = () => undefined;
  #arriving: LogLines['lines'] = [];

  constructor(fate: Decision, options: CloudModelOptions) {
    const steps = Array.from({ length: STEPS }, (_, index) => ({ name: `Step ${index}`, run: '' }));
    this.#cloud = new CloudModel(options);
    this.#deployment = this.#cloud.enqueue({ project: 'web', stack: 'dev', poolId: 'pool-1', job: { steps } });
    this.#api = claimInProcess(this.#cloud, this.#deployment);
    this.fate = fate;
    onTestFinished(() => this.#cloud.close());
  }

  /** The lines of a step that were taken. */
  linesOf(index: number): string[] {
    return this.#deployment.steps[index]?.lines.map(({ l }) => l) ?? [];
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
    return this.#cloud.violations;
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

  /** Notes a call, and makes it under its fate. */
  async #met(call: string, path: string, signal: AbortSignal, make: () => Promise<void>): Promise<void> {
    signal.throwIfAborted();
    this.calls.push(call);
    const fault = faultOf(this.fate(call, this));
    const script = fault && this.#cloud.script({ ...fault, path: new RegExp(`${this.#deployment.jobId}/${path}$`) });
    try {
      await make();
    } finally {
      script?.remove();
    }
  }
}

function faultOf(fate: Fate): Omit<Script, 'path'> | undefined {
  // A call that is refused with 401 is made again with the pool's token.
  if (typeof fate === 'number') return { times: 2, answer: { status: fate } };
  if (fate === 'taken') return undefined;
  return { when: fate === 'answer-lost' ? 'after' : 'before', answer: 'reset' };
}
