import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log/level.ts';
import type { Redactor, SecretScope } from '../../base/log/redactor.ts';
import type { Owner } from '../../base/owner.ts';
import { closeRecord, type RunEnd, RunRecord } from '../../record/run-record.ts';
import type { RecordEventBody } from '../../record/schema.ts';
import type { Trace } from '../../record/trace.ts';

export interface RecordsOptions {
  readonly version: string;
  readonly owner: Owner;
  readonly clock: Clock;
  readonly log: Log;
  readonly redactor: Redactor;
  /** The trace of the run that serves a deployment, or of one that has claimed none. */
  readonly traceOf: (deploymentId: string | undefined) => Trace | undefined;
}

/** The records of an agent's runs, one after another. */
export class Records {
  readonly #options: RecordsOptions;
  /** The current job's secrets, hidden until its record is closed. */
  readonly secrets: SecretScope;

  constructor(options: RecordsOptions) {
    this.#options = options;
    this.secrets = options.redactor.scope();
  }

  /** A record that isn't opened yet. */
  begin(onEvent: (event: RecordEventBody) => void): RunRecord {
    const { version, owner, clock, redactor, traceOf } = this.#options;
    return new RunRecord({
      version,
      owner,
      now: () => clock.now(),
      redact: (text) => redactor.text(text),
      onEvent,
      traceOf,
    });
  }

  /** Closes a record, and forgets the job's secrets. */
  close(record: RunRecord, end: RunEnd): void {
    const { log } = this.#options;
    closeRecord(record, end, (message) => log('error', message));
    this.secrets.forget();
  }
}
