import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AgentConfig } from '../../config/agent-config.ts';
import { defined } from '../../defined.ts';
import { type ErrorCode, withEntry } from '../../error-codes.ts';
import { messageOf } from '../../outcome.ts';
import { fateOf } from '../../record/owner.ts';
import { parseEvent, readResult } from '../../record/reader.ts';
import { RUN_FILES } from '../../record/schema.ts';
import type { Log } from '../logging/log-line.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The name of a fresh run directory: the time, so that the names sort in the order of the runs. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

/** Names run directories: the configured one for a single run, else a fresh one below it for each job. */
export function runDirectories(
  config: Pick<AgentConfig, 'runDirectory' | 'singleRun'>,
  environment: Environment,
): () => string {
  const base = runsFolder(config, environment);
  if (config.singleRun && config.runDirectory !== undefined) return () => base;
  const fresh = () => join(base, new Date().toISOString().replaceAll(':', '-'));
  if (!config.singleRun) return fresh;
  const only = fresh();
  return () => only;
}

/** The folder in which a lasting agent makes its run directories; other agents may share it. */
export function runsFolder({ runDirectory }: Pick<AgentConfig, 'runDirectory'>, environment: Environment): string {
  const home = environment['HOME'];
  const state = environment['XDG_STATE_HOME'] ?? (home === undefined ? tmpdir() : join(home, '.local', 'state'));
  return runDirectory ?? join(state, 'pulumi-runner-agent', 'runs');
}

export interface PruneOptions {
  /** The folder of the run directories, this agent's and perhaps its neighbours'. */
  readonly folder: string;
  readonly log: Log;
  /** Stops pruning before the next removal. */
  readonly signal: AbortSignal;
}

/**
 * Returns a function that removes the oldest ended runs of a lasting agent; a run that may still be going on isn't
 * counted. It never rejects, and warns at most once.
 */
export function runPruner(
  { keptRuns: kept, singleRun }: Pick<AgentConfig, 'keptRuns' | 'singleRun'>,
  { folder, log, signal }: PruneOptions,
): () => Promise<void> {
  if (singleRun || kept === undefined) return async () => undefined;
  let hasWarned = false;
  const warn = (message: string, code: ErrorCode) => {
    if (!hasWarned) log('warning', withEntry(message, code));
    hasWarned = true;
  };
  return async () => {
    let removed = 0;
    try {
      const names = (await readdir(folder).catch(whenGone([]))).filter((name) => NAME.test(name)).sort();
      const ended: string[] = [];
      for (const name of names.length > kept ? names : []) if (await hasEnded(join(folder, name))) ended.push(name);
      for (const name of ended.slice(0, Math.max(0, ended.length - kept))) {
        if (signal.aborted) break;
        const directory = join(folder, name);
        try {
          await removeWithProofLast(directory);
          removed += 1;
        } catch (error) {
          const message = `Failed to remove the run directory ${directory} for kept_runs: ${messageOf(error)}. Remove it yourself, or correct its permissions.`;
          warn(message, 'PRA-RECORD-06');
        }
      }
    } catch (error) {
      const message = `Failed to look for old run directories below ${folder}: ${messageOf(error)}. Remove them yourself, or correct the folder's permissions.`;
      warn(message, 'PRA-RECORD-05');
    }
    if (removed > 0)
      log('info', `Removed the oldest run directories below ${folder}: ${removed}, as kept_runs is ${kept}.`);
  };
}

/** Removes a run directory. What proves that the run has ended goes last: a removal may be interrupted. */
async function removeWithProofLast(directory: string): Promise<void> {
  const proofs: readonly string[] = [RUN_FILES.events, RUN_FILES.result];
  for (const name of await readdir(directory))
    if (!proofs.includes(name)) await rm(join(directory, name), { recursive: true, force: true });
  await rm(directory, { recursive: true, force: true });
}

/** True if all agents that began the run provably ended, and the directory is readable, this user's and not a link. */
async function hasEnded(directory: string): Promise<boolean> {
  try {
    const stats = await lstat(directory);
    // In another user's directory, links could lead a root agent to remove files elsewhere.
    if (!stats.isDirectory() || stats.uid !== process.geteuid?.()) return false;
    for (const name of [RUN_FILES.result, RUN_FILES.events]) {
      // Follow no link; reading a pipe would never end.
      const file = await lstat(join(directory, name)).catch(whenGone(undefined));
      if (file?.isFile() === false) return false;
    }
    const result = await readResult(directory);
    const events = await readFile(join(directory, RUN_FILES.events), 'utf8').catch(whenGone(''));
    const begun = events
      .split('\n')
      .filter((line) => line.includes('"type":"agent-started"'))
      .map(parseEvent);
    const isOver = (event: (typeof begun)[number]) =>
      event?.type === 'agent-started' &&
      (isDeepStrictEqual(event.owner, result?.owner) ||
        fateOf({ ...defined({ space: event.space }), ...event.owner }) === 'dead');
    return (result !== undefined || begun.length > 0) && begun.every(isOver);
  } catch {
    return false;
  }
}

/** Returns `value` for a file that is gone, as another agent may have removed it; rethrows other errors. */
function whenGone<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return value;
    throw error;
  };
}
