import type { Clock } from '../../base/clock.ts';
import type { Redactor } from '../../base/log/redactor.ts';
import { RecordedStep } from '../../record/recorded-step.ts';
import type { RecordSink } from '../../record/run-record.ts';
import type { StepEnd, StepResult } from '../../record/schema.ts';
import type { LogLines } from '../proxy/protocol.ts';

export interface StepRecorderOptions {
  readonly index: number;
  readonly name: string;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly record: RecordSink;
}

/** Records a step that Pulumi's agent runs: its output, its events and its result. */
export class StepRecorder {
  readonly #step: RecordedStep;
  #error: string | undefined;
  readonly #calls = { batches: 0, retries: 0, failures: 0 };
  readonly index: number;
  readonly name: string;
  /** Lines in the file, and of these the ones that Pulumi Cloud accepted. */
  #lines = 0;
  #sent = 0;
  /** Lines before the last accepted one that no accepted call brought. */
  #skipped = 0;
  #end: StepEnd | undefined;
  #result: Promise<StepResult> | undefined;

  constructor({ index, name, redactor, clock, record }: StepRecorderOptions) {
    this.index = index;
    this.name = name;
    const notice = (message: string) => record.notice('warning', message);
    this.#step = new RecordedStep(index, name, { redactor, clock, record, notice });
  }

  /** How it ended; undefined while it runs. */
  get end(): StepEnd | undefined {
    return this.#end;
  }

  /**
   * Writes output. If it returns a promise, write no more until that resolves; it never rejects.
   */
  write(text: Buffer): Promise<void> | undefined {
    const { log, file } = this.#step;
    const full = log.write(text);
    // No reader follows this file, so its lines need not be kept in memory.
    file.release(file.size);
    return full;
  }

  /**
   * Writes accepted lines that are new. Returns the promise of `write`, and how many lines are
   * missing before them.
   */
  addLines({ offset = this.#sent, texts }: LogLines): {
    readonly full: Promise<void> | undefined;
    readonly gap: number;
  } {
    const gap = Math.max(0, offset - this.#lines);
    const end = offset + texts.length;

    if (end <= this.#sent && texts.length > 0) this.#calls.retries += 1;
    this.#calls.batches += 1;
    this.#skipped += Math.max(0, Math.min(offset, this.#lines) - this.#sent);
    this.#sent = Math.max(this.#sent, end);

    return { full: this.#writeFrom(offset, texts), gap };
  }

  /** Writes new lines of which nothing says that they were accepted, unless lines before them are missing. */
  addUndelivered({ offset, texts }: LogLines): Promise<void> | undefined {
    return offset === undefined || offset > this.#lines ? undefined : this.#writeFrom(offset, texts);
  }

  #writeFrom(offset: number, texts: readonly string[]): Promise<void> | undefined {
    const fresh = texts.slice(Math.max(0, this.#lines - offset));
    this.#lines = Math.max(this.#lines, offset + texts.length);
    return fresh.length === 0 ? undefined : this.write(Buffer.from(fresh.join('')));
  }

  /** Called when a call with lines was refused or got no answer. */
  linesRefused(): void {
    this.#calls.failures += 1;
  }

  /** The error that the output of a step that failed shows, once it is finished. */
  get error(): string | undefined {
    return this.#error;
  }

  /**
   * Called when the step has ended. Resolves when its file is complete. Never rejects; a second end
   * is ignored.
   */
  finish(end: StepEnd): Promise<StepResult> {
    this.#end ??= end;
    this.#result ??= this.#finish(end);
    return this.#result;
  }

  async #finish(end: StepEnd): Promise<StepResult> {
    const result = await this.#step.finish(end);
    this.#step.file.close();
    this.#error = result.error;
    const sent = this.#sent - this.#skipped;
    return { ...result, cloud: { sent, undelivered: this.#lines - sent, ...this.#calls } };
  }
}
