import { withEntry } from '../base/error-codes.ts';
import { messageOf, OutcomeError } from '../base/outcome.ts';
import type { Owner } from '../base/owner.ts';
import { counted } from '../base/quantity.ts';
import type { HealthSnapshot, RecordEventBody, RunResult } from './schema.ts';
import type { Trace } from './trace.ts';
import { RecordWriter, stepLogPath } from './writer.ts';

/**
 * The most events kept before the run directory is opened: an agent that waits for days must not
 * accumulate them.
 */
const EARLY_EVENTS = 50;

/** The most warnings in run.json. The first ones are kept, since they usually explain the rest. */
const MAX_NOTICES = 100;

interface RunRecordOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Hides secrets; applied to every text that may contain one. */
  readonly redact: (text: string) => string;
  readonly version: string;
  readonly owner: Owner;
  /** Names the run's trace; none is recorded when absent. */
  readonly traceOf?: ((deploymentId?: string) => Trace | undefined) | undefined;
  /** Called with every event, whether or not it can be written. */
  readonly onEvent?: ((event: RecordEventBody) => void) | undefined;
}

/** The parts of a run's result that the record doesn't know itself. */
export type RunEnd = Omit<
  RunResult,
  'schema' | 'version' | 'owner' | 'startedAt' | 'finishedAt' | 'notices' | 'trace'
>;

/** Takes a run's events and the sentences that a user should read, and names its steps' logs. */
export type RecordSink = Pick<RunRecord, 'event' | 'notice' | 'stepLog'>;

/**
 * One run's record. A lasting agent opens the directory only once there is a job; events are held
 * until then.
 */
export class RunRecord {
  readonly #options: RunRecordOptions;
  readonly #startedAt: number;
  readonly #notices: string[] = [];
  /** Warnings omitted from `#notices`. */
  #omitted = 0;
  /** Events before the directory is opened. */
  #early: RecordEventBody[] = [];
  #incomplete = false;
  #directory: string | undefined;
  #writer: RecordWriter | undefined;

  constructor(options: RunRecordOptions) {
    this.#options = options;
    this.#startedAt = options.now();
  }

  /**
   * Creates the directory. Throws OutcomeError `config-error` on failure: the record then works
   * without one.
   */
  open(directory: string): void {
    this.#directory = directory;

    try {
      const { now, redact } = this.#options;
      this.#writer = new RecordWriter({ directory, now, redact });
    } catch (cause) {
      const message = `Failed to make the directory for the run: ${messageOf(cause)}. Set run_directory to a folder that the agent can write to.`;
      throw new OutcomeError('config-error', message, { code: 'PRA-CONFIG-07', cause });
    }

    for (const event of this.#early) this.#write((writer) => writer.event(event));
    this.#early = [];
  }

  /** The record's directory; undefined before it is opened. */
  get directory(): string | undefined {
    return this.#directory;
  }

  event(body: RecordEventBody): void {
    const event = body.type === 'agent-started' ? { ...body, trace: this.#options.traceOf?.() } : body;
    this.#options.onEvent?.(event);
    this.#write((writer) => writer.event(event));
    if (this.#writer !== undefined) return;
    this.#early.push(event);
    // Keep the first: it names the owner, which identifies what a killed agent left behind.
    if (this.#early.length > EARLY_EVENTS) this.#early.splice(1, 1);
  }

  notice(level: 'info' | 'warning', message: string): void {
    if (level === 'warning') this.#addNotice(message);
    this.event({ type: 'notice', level, message });
  }

  #addNotice(warning: string): void {
    if (this.#notices.length < MAX_NOTICES) this.#notices.push(this.#options.redact(warning));
    else this.#omitted += 1;
  }

  health(snapshot: HealthSnapshot): void {
    this.#write((writer) => writer.health(snapshot));
  }

  stepLog(index: number, name: string): { relative: string; absolute: string } {
    if (this.#directory === undefined)
      throw new Error('a step was begun before the run directory was opened');
    return stepLogPath(this.#directory, index, this.#options.redact(name));
  }

  /**
   * Writes the outcome event and run.json, and closes the files. Throws what node:fs throws for
   * run.json.
   */
  close(end: RunEnd): void {
    const { version, owner, now } = this.#options;
    const { outcome, code, exitCode, message } = end;

    this.event({ type: 'outcome', outcome, code, exitCode, message });

    const omitted =
      this.#omitted === 0 ? [] : [`${counted(this.#omitted, 'more warning')} in the agent's log.`];
    const notices = [...this.#notices, ...omitted];

    const times = {
      startedAt: new Date(this.#startedAt).toISOString(),
      finishedAt: new Date(now()).toISOString(),
    };

    const writer = this.#writer;

    this.#writer = undefined;

    try {
      writer?.result({
        schema: 1,
        ...end,
        version,
        owner,
        ...times,
        notices,
        trace: this.#options.traceOf?.(end.deploymentId),
      });
    } finally {
      writer?.close();
    }
  }

  /** A full disk must not end a deployment: the record becomes incomplete and says so. */
  #write(write: (writer: RecordWriter) => void): void {
    if (this.#writer === undefined) return;

    try {
      write(this.#writer);
    } catch (error) {
      if (this.#incomplete) return;
      this.#incomplete = true;
      const message = `Failed to write an event for the run: ${messageOf(error)}. Some events are missing.`;
      this.#addNotice(withEntry(message, 'PRA-RECORD-07'));
    }
  }
}

/** The event that the record of one job makes once all its reports are settled. */
export type Reported = RecordEventBody & { readonly type: 'reported' };

/**
 * Copies another record's events to `record` as they happen, but passes `reported`, which is not
 * `record`'s own, to `onReported`; `directory` is its path relative to `record`'s.
 */
export function mirror(record: RunRecord, directory: string, onReported: (event: Reported) => void) {
  return (event: RecordEventBody): void => {
    if (event.type === 'agent-started' || event.type === 'outcome') return;
    if (event.type === 'reported') onReported(event);
    else if (event.type === 'notice') record.notice(event.level, event.message);
    else if (event.type === 'step-started') record.event({ ...event, log: `${directory}/${event.log}` });
    else record.event(event);
  };
}

/** Closes a record; passes a failure to write its result to `warn`. Never throws. */
export function closeRecord(record: RunRecord, end: RunEnd, warn: (message: string) => void): void {
  try {
    record.close(end);
  } catch (error) {
    warn(withEntry(`Failed to write the result for the run: ${messageOf(error)}.`, 'PRA-RECORD-04'));
  }
}
