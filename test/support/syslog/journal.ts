import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../../../scripts/journal');
const run = promisify(execFile);

/** A message as journald stores it. */
export interface Entry {
  readonly MESSAGE: string;
  readonly PRIORITY: string;
  readonly SYSLOG_FACILITY: string;
  readonly SYSLOG_IDENTIFIER?: string;
  readonly SYSLOG_PID?: string;
}

/** A real journald beside the machine's, in its own namespace. */
export class Journal implements AsyncDisposable {
  readonly socket: string;
  readonly #namespace: string;
  readonly #process: ChildProcess;

  private constructor(namespace: string) {
    this.#namespace = namespace;
    this.socket = `/run/systemd/journal.${namespace}/dev-log`;
    this.#process = spawn(SCRIPT, ['serve', namespace], { stdio: ['ignore', 'ignore', 'inherit'] });
  }

  static async start(): Promise<Journal> {
    const journal = new Journal(`prun-${process.pid}-${randomBytes(3).toString('hex')}`);
    await vi.waitFor(
      () => {
        if (journal.#process.exitCode !== null)
          throw new Error(`journald ended with ${journal.#process.exitCode}`);
        if (!existsSync(journal.socket)) throw new Error('journald is not up');
      },
      // The first start may have to download the program.
      { timeout: 60_000, interval: 20 },
    );
    return journal;
  }

  /** Waits for this many messages that came through syslog. */
  async arrived(count: number): Promise<Entry[]> {
    return vi.waitFor(
      async () => {
        const { stdout } = await run(SCRIPT, ['read', this.#namespace, '-o', 'json', '_TRANSPORT=syslog']);
        const entries = stdout
          .split('\n')
          .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Entry] : []));
        if (entries.length < count) throw new Error(`${entries.length} of ${count} messages have arrived`);
        return entries;
      },
      { timeout: 30_000, interval: 50 },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, 'exit');
      this.#process.kill('SIGTERM');
      await ended;
    }
    await run(SCRIPT, ['remove', this.#namespace]);
  }
}
