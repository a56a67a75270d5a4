import { existsSync, mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { type ErrorCode, withEntry } from '../../base/error-codes.ts';
import type { Log } from '../../base/log/level.ts';
import { messageOf } from '../../base/outcome.ts';
import { whenGone } from '../../record/reader.ts';
import { hasEnded, RUN_NAME, removeEnded, runName } from '../../record/run-directory.ts';

/** The configured folder, if any. */
interface RunsPlace {
  readonly runDirectory?: string | undefined;
}

const DAY_MS = 24 * 60 * 60_000;

/**
 * Returns a function for the directory of the next run: the configured one for a single run, else
 * one that it makes, per job. It never throws: what can't be made is reported when it is opened.
 */
export function runDirectories(
  config: RunsPlace & { readonly singleRun: boolean },
  environment: Environment,
): () => string {
  const base = runsFolder(config, environment);
  if (config.singleRun && config.runDirectory !== undefined) return () => base;
  if (!config.singleRun) return () => madeBelow(base);
  let only: string | undefined;
  return () => (only ??= madeBelow(base));
}

/** Makes a directory named after the time; another agent that begins in the same millisecond gets the next. */
function madeBelow(base: string): string {
  for (let time = Date.now(); ; time += 1) {
    const directory = join(base, runName(time));
    try {
      mkdirSync(base, { recursive: true, mode: 0o700 });
      mkdirSync(directory, { mode: 0o700 });
      return directory;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST' && existsSync(directory)))
        return directory;
    }
  }
}

/**
 * The folder in which a lasting agent makes its run directories, and a single run with its own
 * directory keeps earlier records; other agents may share it.
 */
export function runsFolder({ runDirectory }: RunsPlace, environment: Environment): string {
  const home = environment['HOME'];
  const state =
    environment['XDG_STATE_HOME'] ?? (home === undefined ? tmpdir() : join(home, '.local', 'state'));
  return runDirectory ?? join(state, 'pulumi-runner-agent', 'runs');
}

/**
 * Returns a function that removes ended runs from `folder`, which other agents may share: those too
 * old by `kept_runs_days`, and the oldest beyond `kept_runs`. `now` returns milliseconds since the
 * epoch, or undefined where this machine's clock alone would decide: then none is too old. `signal`
 * stops it before the next removal. A run that may still be going on is neither removed nor counted.
 * It never rejects, and warns at most once.
 */
export function runPruner(
  { keptRuns: limit, keptRunsDays: days }: { readonly keptRuns: number; readonly keptRunsDays: number },
  folder: string,
  log: Log,
  now: () => number | undefined,
  signal: AbortSignal,
): () => Promise<void> {
  let hasWarned = false;
  const warn = (message: string, code: ErrorCode) => {
    if (!hasWarned) log('warning', withEntry(message, code));
    hasWarned = true;
  };

  return async () => {
    let removed = 0;
    try {
      const oldest = runName(Math.max(0, (now() ?? 0) - days * DAY_MS));
      const names = (await readdir(folder).catch(whenGone([]))).filter((name) => RUN_NAME.test(name)).sort();
      const isDue = names.length > limit || names.some((name) => name < oldest);
      const ended: string[] = [];

      for (const name of isDue ? names : []) if (await hasEnded(join(folder, name))) ended.push(name);

      for (const name of ended.filter((each, index) => index < ended.length - limit || each < oldest)) {
        if (signal.aborted) break;
        const directory = join(folder, name);
        try {
          await removeEnded(directory);
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

    const rule = `kept_runs is ${limit} and kept_runs_days ${days}`;
    if (removed > 0)
      log('info', `Removed the oldest run directories below ${folder}: ${removed}, as ${rule}.`);
  };
}
