import { type Clock, type Moment, momentOf, passedSince } from '../../../clock.ts';
import { defined } from '../../../defined.ts';
import { withEntry } from '../../../error-codes.ts';
import type { Redactor } from '../../../log/redactor.ts';
import { StepFile } from '../../../log/step-file.ts';
import { StepLog } from '../../../log/step-log.ts';
import { counted } from '../../../quantity.ts';
import type { RunRecord } from '../../../record/run-record.ts';
import type { StepResult } from '../../../record/schema.ts';

/** How a step ended, as its engine told it. */
export interface ObservedEnd {
  readonly status: 'succeeded' | 'failed';
  readonly exitCode?: number;
  readonly reason?: string;
}

export interface ObservedStepOptions {
  readonly index: number;
  readonly name: string;
  readonly record: Pick<RunRecord, 'event' | 'notice' | 'stepLog'>;
  readonly redactor: Redactor;
  readonly clock: Clock;
}

/** Lines that an engine sent of a step, `offset` lines having been sent before. */
export interface ObservedLines {
  readonly offset: number | undefined;
  readonly texts: readonly string[];
}

/** A step that another program runs: what is seen of it goes to its file, its events and its result. */
export class ObservedStep {
  readonly #options: ObservedStepOptions;
  readonly #file: StepFile;
  readonly #log: StepLog;
  readonly #path: string;
  readonly #started: Moment;
  readonly #calls = { batches: 0, retries: 0, failures: 0 };
  #lines = 0;
  #result: StepResult | undefined;

  /** Begins it. */
  constructor(options: ObservedStepOptions) {
    this.#options = options;
    const { index, name, record, redactor, clock } = options;
    const { relative, absolute } = record.stepLog(index, name);
    const onTrouble = (error: Error & { code?: string }) =>
      record.notice('warning', withEntry(error.message, error.code));
    this.#path = relative;
    this.#file = new StepFile({ path: absolute, clock, onTrouble });
    this.#log = new StepLog({ redactor, file: this.#file, now: () => clock.now() });
    this.#started = momentOf(clock);
    record.event({ type: 'step-started', index, step: name, log: relative });
  }

  get hasEnded(): boolean {
    return this.#result !== undefined;
  }

  /** Output that no call brings. A promise means: bring no more until it resolves; it never rejects. */
  write(text: Buffer): Promise<void> | undefined {
    const full = this.#log.write(text);
    // Nobody reads behind: what is in the file need not be remembered.
    this.#file.release(this.#file.size);
    return full;
  }

  /**
   * Lines that Pulumi Cloud took. Those that an earlier call brought already are left out. Returns as `write`, and how many lines
   * are missing before these.
   */
  took({ offset = this.#lines, texts }: ObservedLines): {
    readonly full: Promise<void> | undefined;
    readonly gap: number;
  } {
    const known = this.#lines - offset;
    const fresh = known > 0 ? texts.slice(known) : texts;
    if (fresh.length === 0 && texts.length > 0) this.#calls.retries += 1;
    this.#calls.batches += 1;
    this.#lines = Math.max(this.#lines, offset + texts.length);
    return { full: fresh.length === 0 ? undefined : this.write(Buffer.from(fresh.join(''))), gap: Math.max(0, -known) };
  }

  /** A call with lines was refused, or had no answer. */
  refused(): void {
    this.#calls.failures += 1;
  }

  /** The step has ended. Resolves when its file is whole. Never rejects; a second end is ignored. */
  async finish(end: ObservedEnd): Promise<void> {
    if (this.#result !== undefined) return;
    const { index, name, record, clock } = this.#options;
    const facts = {
      index,
      name,
      ...end,
      startedAt: new Date(this.#started.now).toISOString(),
      finishedAt: new Date(clock.now()).toISOString(),
      log: this.#path,
    };
    this.#result = { ...facts, lines: 0, bytes: 0, cloud: this.#cloud };
    // What the disk didn't take has been said already.
    await this.#log.end().catch(() => undefined);
    const { lost, ...totals } = this.#file.totals;
    const { sha256 } = this.#file;
    this.#file.close();
    if (lost > 0)
      record.notice(
        'warning',
        `Lost ${counted(lost, 'line')} of step ${index}: neither disk nor memory could hold more.`,
      );
    this.#result = { ...facts, ...totals, ...(lost > 0 && { lost }), ...defined({ sha256 }), cloud: this.#cloud };
    const seconds = passedSince(this.#started, clock).surely / 1000;
    record.event({ type: 'step-finished', index, step: name, seconds, lines: totals.lines, ...end });
  }

  /** What became of it; undefined while it runs. */
  get result(): StepResult | undefined {
    return this.#result;
  }

  get #cloud(): StepResult['cloud'] {
    return { sent: this.#lines, undelivered: 0, ...this.#calls };
  }
}
