import { join } from 'node:path';
import { defined } from '../defined.ts';
import { withEntry } from '../error-codes.ts';
import { messageOf, OutcomeError } from '../outcome.ts';
import { counted } from '../quantity.ts';
import type { HealthSnapshot, Owner, RecordEventBody, RunResult } from './schema.ts';
import { RUN_FILES } from './schema.ts';
import { RecordWriter, stepLogPath } from './writer.ts';

/** Events that may come before the run directory is opened: an agent that waits for days must not collect them. */
const HELD_EVENTS = 50;
/** Warnings that run.json repeats; what comes first mostly explains what follows. */
const KEPT_NOTICES = 100;

interface RunRecordOptions {
  readonly version: string;
  readonly owner: Owner;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly redact: (text: string) => string;
  /** Gets every event, whether it can be written or not. */
  readonly onEvent?: (event: RecordEventBody) => void;
}

/** What is known of a run when it ends, but for what the record itself knows. */
export type RunEnd = Omit<RunResult, 'schema' | 'version' | 'owner' | 'startedAt' | 'finishedAt' | 'notices'>;

/** One run's record. A lasting agent opens the directory only when there is a job; until then events are held. */
export class RunRecord {
  readonly #options: RunRecordOptions;
  readonly #startedAt: number;
  readonly #notices: string[] = [];
  /** Warnings that are not among them. */
  #unkept = 0;
  #held: RecordEventBody[] = [];
  #incomplete = false;
  #directory: string | undefined;
  #writer: RecordWriter | undefined;

  constructor(options: RunRecordOptions) {
    this.#options = options;
    this.#startedAt = options.now();
  }

  /** Makes the directory. Throws OutcomeError `config-error` when it can't: the record then goes on without one. */
  open(directory: string): void {
    this.#directory = directory;
    try {
      this.#writer = new RecordWriter({ directory, ...this.#options });
    } catch (cause) {
      const message = `Failed to make the directory for the run: ${messageOf(cause)}. Set run_directory to a folder that the agent can write to.`;
      throw new OutcomeError('config-error', message, { code: 'PRA-CONFIG-07', cause });
    }
    for (const event of this.#held) this.#write((writer) => writer.event(event));
    this.#held = [];
  }

  event(event: RecordEventBody): void {
    this.#options.onEvent?.(event);
    this.#write((writer) => writer.event(event));
    if (this.#writer !== undefined) return;
    this.#held.push(event);
    // The first says whose the record is: what a killed agent left is found by it.
    if (this.#held.length > HELD_EVENTS) this.#held.splice(1, 1);
  }

  notice(level: 'info' | 'warning', message: string): void {
    if (level === 'warning') this.#keep(message);
    this.event({ type: 'notice', level, message });
  }

  #keep(warning: string): void {
    if (this.#notices.length < KEPT_NOTICES) this.#notices.push(this.#options.redact(warning));
    else this.#unkept += 1;
  }

  health(snapshot: HealthSnapshot): void {
    this.#write((writer) => writer.health(snapshot));
  }

  stepLog(index: number, name: string): { relative: string; absolute: string } {
    if (this.#directory === undefined) throw new Error('a step was begun before the run directory was opened');
    return stepLogPath(this.#directory, index, this.#options.redact(name));
  }

  /** Writes the outcome's event and run.json, and closes the directory. Throws what node:fs throws when run.json can't be written. */
  close(end: RunEnd): void {
    const { version, owner, now } = this.#options;
    this.event({
      type: 'outcome',
      outcome: end.outcome,
      ...defined({ code: end.code }),
      exitCode: end.exitCode,
      message: end.message,
    });
    const writer = this.#writer;
    this.#writer = undefined;
    try {
      writer?.result({
        schema: 1,
        ...end,
        version,
        owner,
        startedAt: new Date(this.#startedAt).toISOString(),
        finishedAt: new Date(now()).toISOString(),
        notices:
          this.#unkept === 0
            ? this.#notices
            : [...this.#notices, `${counted(this.#unkept, 'more warning')} in the agent's log.`],
      });
    } finally {
      writer?.close();
    }
  }

  /** A full disk must not end a deployment: the record is incomplete then, and says so. */
  #write(write: (writer: RecordWriter) => void): void {
    if (this.#writer === undefined) return;
    try {
      write(this.#writer);
    } catch (error) {
      if (this.#incomplete) return;
      this.#incomplete = true;
      const message = `Failed to write an event for the run: ${messageOf(error)}. Some events are missing.`;
      this.#keep(withEntry(message, 'PRA-RECORD-07'));
    }
  }
}

/** Where the agent's own log lies in a run directory. */
export function agentLogPath(directory: string): string {
  return join(directory, RUN_FILES.log);
}

/** Repeats the events of a record in `record`, the run's own, whose readers then see them as they come; `directory` is the path between them. */
export function mirror(record: RunRecord, directory: string): (event: RecordEventBody) => void {
  return (event) => {
    if (event.type === 'agent-started' || event.type === 'outcome') return;
    if (event.type === 'notice') record.notice(event.level, event.message);
    else if (event.type === 'step-started') record.event({ ...event, log: `${directory}/${event.log}` });
    else record.event(event);
  };
}

/** Closes a record; says what keeps its result from being written. Never throws. */
export function closeRecord(record: RunRecord, end: RunEnd, tell: (message: string) => void): void {
  try {
    record.close(end);
  } catch (error) {
    tell(withEntry(`Failed to write the result for the run: ${messageOf(error)}.`, 'PRA-RECORD-04'));
  }
}
