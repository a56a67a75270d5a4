import { CloudUnreachableError } from '../../../src/cloud/errors.ts';
import type { JobApi, LogLines } from '../../../src/cloud/jobs.ts';

/** What becomes of a call: it is taken, it never arrives, its answer is lost, it is too large, or it fails as given. */
export type Fate = 'taken' | 'not-arrived' | 'answer-lost' | 'too-large' | Error;

interface ReceivedStep {
  readonly statuses: string[];
  readonly lines: string[];
}

/**
 * The receiving side of a job's reports, as strict as Pulumi Cloud may be: whatever is out of order is a violation.
 * It decides on the fate of every call, which no real server could do for every one of thousands of runs in time.
 */
export class StrictReceiver implements Pick<JobApi, 'stepStatus' | 'logs'> {
  readonly steps = new Map<number, ReceivedStep>();
  readonly violations: string[] = [];
  /** Every call in order: `1 running`, `1 logs 0+3`. */
  readonly calls: string[] = [];
  fate: (call: string) => Fate | Promise<Fate>;
  onLines: (lines: LogLines['lines'], offset: number) => void = () => undefined;
  #arriving: LogLines['lines'] = [];
  #current = -1;
  #sending = false;

  constructor(fate: (call: string) => Fate | Promise<Fate> = () => 'taken') {
    this.fate = fate;
  }

  async stepStatus(index: number, status: 'running' | 'succeeded' | 'failed', signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#taken(`${index} ${status}`, () => this.#report(index, status));
  }

  async logs(index: number, batch: LogLines, signal: AbortSignal): Promise<'accepted' | 'too-large'> {
    signal.throwIfAborted();
    if (this.#sending) this.violations.push(`two log calls of step ${index} at once`);
    this.#sending = true;
    this.#arriving = batch.lines;
    this.onLines(batch.lines, batch.offset);
    try {
      const call = `${index} logs ${batch.offset}+${batch.lines.length}`;
      return (await this.#taken(call, () => this.#store(index, batch))) === 'too-large' ? 'too-large' : 'accepted';
    } finally {
      this.#sending = false;
      this.#arriving = [];
    }
  }

  async #taken(call: string, take: () => void): Promise<Fate> {
    this.calls.push(call);
    const fate = await this.fate(call);
    if (fate instanceof Error) throw fate;
    if (fate === 'taken' || fate === 'answer-lost') take();
    if (fate === 'not-arrived' || fate === 'answer-lost') throw new CloudUnreachableError(`${call}: ${fate}`);
    return fate;
  }

  /** Bytes of JSON of the lines that arrive, while their fate is decided. */
  get size(): number {
    return Buffer.byteLength(JSON.stringify(this.#arriving));
  }

  /** True while a call that holds this line arrives. */
  holds(text: string): boolean {
    return this.#arriving.some(({ l }) => l === text);
  }

  #step(index: number): ReceivedStep {
    const step = this.steps.get(index) ?? { statuses: [], lines: [] };
    this.steps.set(index, step);
    return step;
  }

  #report(index: number, status: string): void {
    const { statuses } = this.#step(index);
    const last = statuses.at(-1);
    if (last === status) return;
    if (status === 'running') {
      if (last !== undefined || index !== this.#current + 1) this.violations.push(`${index} running after ${last}`);
      if (index > 0 && !isFinal(this.#step(index - 1).statuses.at(-1)))
        this.violations.push(`${index} began too early`);
      this.#current = index;
    } else if (last !== 'running') {
      this.violations.push(`${index} ${status} after ${last}`);
    }
    statuses.push(status);
  }

  #store(index: number, { offset, lines }: LogLines): void {
    const step = this.#step(index);
    if (step.statuses.at(-1) !== 'running')
      this.violations.push(`lines of step ${index} while ${step.statuses.at(-1)}`);
    if (lines.length === 0 || lines.length > 1_000) this.violations.push(`${lines.length} lines at once`);
    for (const [at, { l }] of lines.entries()) {
      const stored = step.lines[offset + at];
      if (stored === undefined && offset + at === step.lines.length) step.lines.push(l);
      else if (stored !== l) this.violations.push(`step ${index}: line ${offset + at} is ${stored}, then ${l}`);
    }
  }
}

function isFinal(status: string | undefined): boolean {
  return status === 'succeeded' || status === 'failed';
}
