import { mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppendedFile } from './appended-file.ts';
import { type HealthSnapshot, type RecordEventBody, RUN_FILES, type RunResult } from './schema.ts';

/** Fields of our own words, times and paths or Pulumi Cloud's names: redacting a chance match would ruin the record. */
const PLAIN_FIELDS: ReadonlySet<string> = new Set([
  ...['t', 'startedAt', 'claimedAt', 'finishedAt', 'expiresAt', 'lastActivity', 'started', 'host', 'space', 'version'],
  ...['type', 'outcome', 'status', 'state', 'level', 'by', 'method', 'log', 'url', 'serviceUrl', 'consoleUrl'],
  ...['deploymentId', 'deploymentUrl', 'runId', 'jobId', 'stack', 'operation', 'directory'],
  ...['target', 'kubeconfig', 'context', 'server', 'namespace'],
]);

/** The path of a step's log, in plain characters: names come from Pulumi Cloud. `name` must not contain secrets. */
export function stepLogPath(directory: string, index: number, name: string): { relative: string; absolute: string } {
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

/** Writes a run directory, synchronously. Throws what node:fs throws if it can't be created. */
export class RecordWriter {
  readonly #options: RecordWriterOptions;
  readonly #events: AppendedFile;
  readonly #health: AppendedFile;

  constructor(options: RecordWriterOptions) {
    this.#options = options;
    const { directory } = options;
    mkdirSync(join(directory, RUN_FILES.steps), { recursive: true, mode: 0o700 });
    this.#events = new AppendedFile(openSync(join(directory, RUN_FILES.events), 'a', 0o600));
    this.#health = new AppendedFile(openSync(join(directory, RUN_FILES.health), 'a', 0o600));
  }

  event(event: RecordEventBody): void {
    this.#events.append(`${this.#line({ t: new Date(this.#options.now()).toISOString(), ...event })}\n`);
  }

  health(snapshot: HealthSnapshot): void {
    this.#health.append(`${this.#line(snapshot)}\n`);
  }

  /** Writes run.json atomically: a reader sees all of it or nothing. */
  result(result: RunResult): void {
    const path = join(this.#options.directory, RUN_FILES.result);
    writeFileSync(`${path}.part`, `${JSON.stringify(this.#redacted(result), null, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.part`, path);
  }

  close(): void {
    this.#events.close();
    this.#health.close();
  }

  #line(value: object): string {
    return JSON.stringify(this.#redacted(value));
  }

  // Redact before encoding: an escaped secret would no longer match.
  #redacted(value: unknown): unknown {
    if (typeof value === 'string') return this.#options.redact(value);
    if (Array.isArray(value)) return value.map((item) => this.#redacted(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        PLAIN_FIELDS.has(key) && typeof item === 'string' ? item : this.#redacted(item),
      ]),
    );
  }
}
