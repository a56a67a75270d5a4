import { onTestFinished } from 'vitest';
import type { JobApi, LogLines } from '../../../src/cloud/job-api.ts';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import type { Script } from '../../emulators/pulumi-cloud/faults.ts';
import { claimInProcess } from '../../emulators/pulumi-cloud/in-process.ts';
import { CloudModel } from '../../emulators/pulumi-cloud/model.ts';
import type { CloudModelOptions } from '../../emulators/pulumi-cloud/options.ts';

/** A call's fate: it is accepted, never arrives, loses its answer, or is answered with this status. */
export type Fate = 'taken' | 'not-arrived' | 'answer-lost' | number;

/** Decides the fate of a call, such as `1 running` or `1 logs 0+3`. */
export type Decision = (call: string, receiver: StrictReceiver) => Fate;

interface Line {
  readonly t: string;
  readonly l: string;
}

/** How many steps the job has. */
const STEPS = 64;

/** Receives reports for the model of Pulumi Cloud; the test decides each call's fate. A violation fails the test. */
export class StrictReceiver implements Pick<JobApi, 'stepStatus' | 'logs' | 'heartbeat'> {
  /** Every call in order: `1 running`, `1 logs 0+3`. */
  readonly calls: string[] = [];
  readonly #cloud: CloudModel;
  readonly #deployment: Deployment;
  readonly #api: JobApi;
  fate: Decision;
  /** Called with the lines of each log call. */
  onLines: (lines: readonly Line[], offset: number) => void = () => undefined;
  #arriving: readonly Line[] = [];

  constructor(fate: Decision, options: CloudModelOptions) {
    const steps = Array.from({ length: STEPS }, (_, index) => ({ name: `Step ${index}`, run: '' }));
    this.#cloud = new CloudModel(options);
    this.#deployment = this.#cloud.enqueue({
      project: 'web',
      stack: 'dev',
      poolId: 'pool-1',
      job: { steps },
    });
    this.#api = claimInProcess(this.#cloud, this.#deployment);
    this.fate = fate;
    onTestFinished(() => this.#cloud.close());
  }

  /** The accepted lines of a step. */
  linesOf(index: number): string[] {
    return this.#deployment.steps[index]?.lines.map(({ l }) => l) ?? [];
  }

  /** The size of the latest lines as JSON, in bytes. */
  get size(): number {
    return Buffer.byteLength(JSON.stringify(this.#arriving));
  }

  /** True if one of the latest lines begins like this. */
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
    const call = `${index} logs ${batch.offset}+${batch.count}`;
    this.#arriving = JSON.parse(`[${batch.json}]`) as Line[];
    this.onLines(this.#arriving, batch.offset);
    return this.#met(call, `${index}/logs`, signal, () => this.#api.logs(index, batch, signal));
  }

  heartbeat(signal: AbortSignal): Promise<void> {
    return this.#api.heartbeat(signal);
  }

  /** Records a call and lets it meet its fate. */
  async #met(call: string, path: string, signal: AbortSignal, make: () => Promise<void>): Promise<void> {
    signal.throwIfAborted();
    this.calls.push(call);
    const fault = faultOf(this.fate(call, this));
    const script =
      fault && this.#cloud.script({ ...fault, path: new RegExp(`${this.#deployment.jobId}/${path}$`) });
    try {
      await make();
    } finally {
      script?.remove();
    }
  }
}

function faultOf(fate: Fate): Omit<Script, 'path'> | undefined {
  // The client repeats a call refused with 401, with the pool's token.
  if (typeof fate === 'number') return { times: 2, answer: { status: fate } };
  if (fate === 'taken') return undefined;
  return { when: fate === 'answer-lost' ? 'after' : 'before', answer: 'reset' };
}
