import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { AppendedFile } from './appended-file.ts';
import { type HealthSnapshot, type RecordEventBody, RUN_FILES, type RunResult } from './schema.ts';

/**
 * Fields of our own words, times and paths or Pulumi Cloud's names: redacting a chance match would
 * ruin the record.
 */
const PLAIN_FIELDS: ReadonlySet<string> = new Set(
  [
    't startedAt claimedAt finishedAt expiresAt lastActivity started host space version',
    'type outcome status state level by method log url serviceUrl consoleUrl',
    'deploymentId deploymentUrl runId jobId organization pool project stack operation directory sha256',
    'target kubeconfig context server namespace traceId parentId flags repository revision',
  ].flatMap((names) => names.split(' ')),
);

/** Bytes for the result; one with more steps and warnings than any run of ours had still fits. */
const RESULT_BYTES = 60 * 1024;

/** Bytes behind them for the one event that no full disk may refuse. */
const EVENT_BYTES = 4 * 1024;

/** Characters of its message that are kept: escaped, they take at most 6 bytes each. */
const EVENT_MESSAGE = 500;

/**
 * The path of a step's log, in plain characters: names come from Pulumi Cloud. `name` must not
 * contain secrets.
 */
export function stepLogPath(
  directory: string,
  index: number,
  name: string,
): { relative: string; absolute: string } {
  const plain = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase()
    .slice(0, 60);

  const relative = `${RUN_FILES.steps}/${String(index).padStart(2, '0')}-${plain === '' ? 'step' : plain}.log`;
  return { relative, absolute: join(directory, relative) };
}

interface RecordWriterOptions {
  readonly directory: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Hides secrets; applied to every text that may contain one. */
  readonly redact: (text: string) => string;
}

/**
 * Writes a run directory, synchronously. Throws what node:fs throws if it can't be created, or has
 * a record.
 */
export class RecordWriter {
  readonly #options: RecordWriterOptions;
  readonly #result: ReservedResult;
  readonly #events: AppendedFile;
  readonly #health: AppendedFile;

  constructor(options: RecordWriterOptions) {
    this.#options = options;
    const { directory } = options;
    mkdirSync(join(directory, RUN_FILES.steps), { recursive: true, mode: 0o700 });

    // First: if two agents start at once in one directory, only one gets it.
    this.#result = new ReservedResult(directory);

    try {
      this.#events = new AppendedFile(openSync(join(directory, RUN_FILES.events), 'ax', 0o600));
      this.#health = new AppendedFile(openSync(join(directory, RUN_FILES.health), 'ax', 0o600));
    } catch (error) {
      this.#result.discard();
      throw error;
    }
  }

  event(event: RecordEventBody): void {
    const timed = { t: new Date(this.#options.now()).toISOString(), ...event };
    try {
      this.#events.append(`${this.#line(timed)}\n`);
    } finally {
      if (timed.type === 'reported') this.#result.event(this.#line(this.#short(timed)));
    }
  }

  health(snapshot: HealthSnapshot): void {
    this.#health.append(`${this.#line(snapshot)}\n`);
  }

  /** Writes run.json atomically: a reader sees all of it or nothing. */
  result(result: RunResult): void {
    this.#result.result(`${JSON.stringify(this.#redacted(result), null, 2)}\n`);
  }

  close(): void {
    for (const file of [this.#result, this.#events, this.#health]) file.close();
  }

  /** Redacts before it cuts: a part of a secret would no longer match. */
  #short<T extends { readonly message: string }>(event: T): T {
    return { ...event, message: this.#options.redact(event.message).slice(0, EVENT_MESSAGE) };
  }

  #line(value: object): string {
    return JSON.stringify(this.#redacted(value));
  }

  // Redact before encoding: an escaped secret would no longer match.
  #redacted(value: unknown, field = ''): unknown {
    if (typeof value === 'string') return PLAIN_FIELDS.has(field) ? value : this.#options.redact(value);
    if (Array.isArray(value)) return value.map((item) => this.#redacted(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#redacted(item, key)]));
  }
}

/**
 * run.json before it is one. Its blocks are allocated when the record opens and are then
 * overwritten in place, so that a disk that others fill meanwhile takes it all the same. A file
 * system that copies on write (btrfs, ZFS) can't promise that. Blank until there is an event or a
 * result, both of which JSON lets blanks surround.
 */
class ReservedResult {
  readonly #paths: { readonly unfinished: string; readonly result: string };
  readonly #descriptor: number;

  /** Creates the file; one that exists is another agent's record. Throws what node:fs throws. */
  constructor(directory: string) {
    this.#paths = {
      unfinished: join(directory, RUN_FILES.unfinished),
      result: join(directory, RUN_FILES.result),
    };

    this.#descriptor = openSync(this.#paths.unfinished, 'wx', 0o600);

    try {
      this.#write(Buffer.alloc(RESULT_BYTES + EVENT_BYTES, ' '), 0);
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  /**
   * Keeps an event until there is a result; `line` has its JSON, without a line end and at most
   * `EVENT_BYTES` long.
   */
  event(line: string): void {
    this.#write(Buffer.from(`${line}\n`), RESULT_BYTES);
  }

  /**
   * Writes run.json: a reader sees all of it or nothing. Throws what node:fs throws; the event is
   * then still there.
   */
  result(text: string): void {
    const bytes = Buffer.from(text);
    const reserved = RESULT_BYTES + EVENT_BYTES;

    // First the part that the disk may refuse.
    this.#write(bytes.subarray(reserved), reserved);
    this.#write(bytes.subarray(0, reserved), 0);
    ftruncateSync(this.#descriptor, bytes.length);
    if (statSync(this.#paths.unfinished).ino !== fstatSync(this.#descriptor).ino)
      throw new Error('another agent has moved this record');

    renameSync(this.#paths.unfinished, this.#paths.result);
  }

  /** Closes and removes the file. */
  discard(): void {
    this.close();
    rmSync(this.#paths.unfinished, { force: true });
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #write(bytes: Buffer, position: number): void {
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, position + done);
  }
}
