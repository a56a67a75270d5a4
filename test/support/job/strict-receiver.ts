import { onTestFinished } from 'vitest';
import type { JobApi, LogLines } from '../../../src/cloud/jobs.ts';
import type { Script } from '../../emulators/pulumi-cloud/faults.ts';
import { JobInProcess } from '../../emulators/pulumi-cloud/in-process.ts';
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
  readonly #job: JobInProcess;
  fate: Decision;
  /** Called with the lines of each log call. */
  onLines: (lines: LogLines['lines'], offset: number) => void = () => undefined;
  #arriving: LogLines['lines'] = [];

  constructor(fate: Decision, options: CloudModelOptions) {
    const steps = Array.from({ length: STEPS }, (_, index) => ({ name: `Step ${index}`, run: '' }));
    this.#cloud = new CloudModel(options);
    this.#job = JobInProcess.claim(this.#cloud, { steps });
    this.fate = fate;
    onTestFinished(() => this.#cloud.close());
  }

  /** The lines of a step that were taken. */
  linesOf(index: number): string[] {
    return this.#job.deployment.steps[index]?.lines.map(({ l }) => l) ?? [];
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

  async stepStatus(index: number, status: 'running' | 'succeeded' | 'failed', signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#job.stepStatus(index, status, signal, this.#fault(`${index} ${status}`));
  }

  async logs(index: number, batch: LogLines, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#arriving = batch.lines;
    this.onLines(batch.lines, batch.offset);
    await this.#job.logs(index, batch, signal, this.#fault(`${index} logs ${batch.offset}+${batch.lines.length}`));
  }

  heartbeat(signal: AbortSignal): Promise<void> {
    return this.#job.heartbeat(signal);
  }

  /** Notes a call. Returns what meets it. */
  #fault(call: string): Script | undefined {
    this.calls.push(call);
    const fate = this.fate(call, this);
    // A call that is refused with 401 is made again with the pool's token.
    if (typeof fate === 'number') return { path: /./, times: 2, answer: { status: fate } };
    if (fate === 'taken') return undefined;
    return { path: /./, when: fate === 'answer-lost' ? 'after' : 'before', answer: 'reset' };
  }
}
