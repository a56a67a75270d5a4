import { lstat, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../outcome.ts';
import { fateOf } from '../record/owner.ts';
import { parseEvent, readResult } from '../record/reader.ts';
import type { Owner } from '../record/schema.ts';
import { RUN_FILES } from '../record/schema.ts';
import type { Log } from './logging/agent-log.ts';
import { isRunDirectoryName } from './run-directories.ts';

/** Milliseconds at the agent's own end for a removal that has not ended by then. */
const END_MS = 5_000;

interface KeptRunsOptions {
  /** The folder that run directories lie in, this agent's and perhaps its neighbours'. */
  readonly folder: string;
  /** How many ended runs keep theirs. */
  readonly kept: number;
  readonly log: Log;
}

/** Removes the directories of the oldest runs after a job. Nothing waits for it, and it never throws. */
export class KeptRuns {
  readonly #options: KeptRunsOptions;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;
  #warned = false;

  constructor(options: KeptRunsOptions) {
    this.#options = options;
  }

  /** A job has ended, and its record is closed. */
  ended(): void {
    this.#round = this.#round.then(() => this.#prune());
  }

  /** The agent ends: a removal gets a few seconds to end, then it is left as it is. */
  async end(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, END_MS);
    await Promise.race([this.#round, late.promise]);
    this.#stopped = true;
    clearTimeout(timer);
  }

  /** Only what a lasting agent made is looked at; a run that may still go on is neither removed nor counted. */
  async #prune(): Promise<void> {
    const { folder, kept, log } = this.#options;
    let removed = 0;
    try {
      // The names are times, so that their order is that of the runs.
      const names = (await readdir(folder).catch(whenGone([]))).filter(isRunDirectoryName).sort();
      const ended: string[] = [];
      for (const name of names.length > kept ? names : []) if (await hasEnded(join(folder, name))) ended.push(name);
      for (const name of ended.slice(0, Math.max(0, ended.length - kept))) {
        if (this.#stopped) break;
        if (await this.#remove(join(folder, name))) removed += 1;
      }
    } catch (error) {
      this.#warn(
        `Failed to look for old run directories below ${folder}: ${messageOf(error)}. Remove them yourself, or correct the folder's permissions.`,
      );
    }
    if (removed > 0)
      log('info', `Removed the oldest run directories below ${folder}: ${removed}, as kept_runs is ${kept}.`);
  }

  async #remove(directory: string): Promise<boolean> {
    try {
      // What proves that the run has ended goes last: a removal that was cut short can then be made again.
      const proofs: readonly string[] = [RUN_FILES.events, RUN_FILES.result];
      const others = (await readdir(directory).catch(whenGone([]))).filter((name) => !proofs.includes(name));
      for (const name of [...others, ...proofs]) await rm(join(directory, name), { recursive: true, force: true });
      await rmdir(directory).catch(whenGone(undefined));
      return true;
    } catch (error) {
      this.#warn(
        `Failed to remove the run directory ${directory} for kept_runs: ${messageOf(error)}. Remove it yourself, or correct its permissions.`,
      );
      return false;
    }
  }

  #warn(reason: string): void {
    if (!this.#warned) this.#options.log('warning', reason);
    this.#warned = true;
  }
}

/**
 * True when it is proved that nobody writes the run in `directory` any more: its result is there or its agent is dead, the same
 * for every other agent that began there, and the directory is this user's. False too for what can't be read, and for links.
 */
async function hasEnded(directory: string): Promise<boolean> {
  try {
    const stats = await lstat(directory);
    // In another user's folder, a root agent could be led out of it while it removes.
    if (!stats.isDirectory() || stats.uid !== process.geteuid?.()) return false;
    const events = join(directory, RUN_FILES.events);
    const result = (await isFile(join(directory, RUN_FILES.result))) ? await readResult(directory) : undefined;
    const lines = (await isFile(events)) ? (await readFile(events, 'utf8')).split('\n') : [];
    const begun = lines.filter((line) => line.includes('"type":"agent-started"')).map(parseEvent);
    const isOver = (event: (typeof begun)[number]) =>
      event?.type === 'agent-started' &&
      (isSame(event.owner, result?.owner) || fateOf(event.owner, event.space) === 'dead');
    return (result !== undefined || begun.length > 0) && begun.every(isOver);
  } catch {
    return false;
  }
}

/** Throws for what is there and is no file: a pipe would never end, and no link is followed. */
async function isFile(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(whenGone(undefined));
  if (stats?.isFile() === false) throw new Error(`${path} is not a file`);
  return stats !== undefined;
}

function isSame(one: Owner, other: Owner | undefined): boolean {
  return one.host === other?.host && one.pid === other.pid && one.started === other.started;
}

/** A neighbour may remove the same. */
function whenGone<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return value;
    throw error;
  };
}
