import { lstat, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { messageOf, OutcomeError } from '../base/outcome.ts';
import { type Liveness, livenessOf } from '../base/owner.ts';
import { parseEvent, readable, readEvents, readResult, whenGone } from './reader.ts';
import { RUN_FILES } from './schema.ts';

/** The name of a run's directory: the time, so that the names sort in the order of the runs. */
export function runName(time: number): string {
  return new Date(time).toISOString().replaceAll(':', '-');
}

/** Such a name. */
export const RUN_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

/**
 * The files that prove that a run has ended. They are removed and moved last: either may be
 * interrupted.
 */
const PROOFS: readonly string[] = [RUN_FILES.events, RUN_FILES.result];

/** The other files of a record and its report; anything else in a directory isn't ours. */
const PARTS = [
  RUN_FILES.deployments,
  'report.html',
  RUN_FILES.log,
  RUN_FILES.wire,
  RUN_FILES.health,
  RUN_FILES.steps,
];

/** Written at least every 30 s while an agent lives. */
const LIVING = [RUN_FILES.events, RUN_FILES.health, RUN_FILES.unfinished];

/** Pulumi Cloud has failed the deployment of an agent that was silent for as long. */
const SILENT_MS = 10 * 60_000;

/** After this time, a move that isn't complete was cut short. */
const MOVE_MS = 10_000;

/**
 * True if all agents that began the run provably ended, and the directory is readable, this user's
 * and not a link.
 */
export async function hasEnded(directory: string): Promise<boolean> {
  return (await livenessOfRun(directory)) === 'dead';
}

/**
 * The certain state of all agents of the run; undefined unless the directory is readable, ours and
 * not a link.
 */
async function livenessOfRun(directory: string): Promise<Liveness | undefined> {
  try {
    const stats = await lstat(directory);

    // In another user's directory, links could lead a root agent to remove files elsewhere.
    if (!stats.isDirectory() || stats.uid !== process.geteuid?.()) return undefined;

    for (const name of PROOFS) {
      // Follow no link; reading a pipe would never end.
      const file = await lstat(join(directory, name)).catch(whenGone(undefined));
      if (file?.isFile() === false) return undefined;
    }

    const result = await readResult(directory);
    const events = await readFile(join(directory, RUN_FILES.events), 'utf8').catch(whenGone(''));
    const starts = events.split('\n').filter((line) => line.includes('"type":"agent-started"'));

    const agents = starts.map((line): Liveness => {
      const [event] = readable([line], parseEvent);
      if (event?.type !== 'agent-started') return 'unknown';
      if (isDeepStrictEqual(event.owner, result?.owner)) return 'dead';
      return livenessOf(event.owner);
    });

    if (agents.length === 0) return result === undefined ? 'unknown' : 'dead';

    return agents.includes('alive') ? 'alive' : agents.includes('unknown') ? 'unknown' : 'dead';
  } catch {
    return undefined;
  }
}

/**
 * True if an agent that can't be checked, such as one of another container, has not written for so
 * long as to be dead. Files tell the time by the wall clock alone: a time as far ahead of now is that of a clock which
 * was set back since, and a living agent writes again within 30 s.
 */
async function isSilent(directory: string): Promise<boolean> {
  const times = LIVING.map((name) => stat(join(directory, name)).then(({ mtimeMs }) => mtimeMs, whenGone(0)));
  return awayFromNow(Math.max(...(await Promise.all(times)))) > SILENT_MS;
}

/** Milliseconds between now and a file's time, which is ahead of now if the clock was set back. */
function awayFromNow(time: number): number {
  return Math.abs(Date.now() - time);
}

/** Removes the directory of a run that has ended. Throws what node:fs throws. */
export async function removeEnded(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    if (!PROOFS.includes(name)) await rm(join(directory, name), { recursive: true, force: true });
  await rm(directory, { recursive: true, force: true });
}

/**
 * Makes an empty directory for a record, in place of that of an earlier run. Throws OutcomeError
 * `config-error` if there is a link, another's directory or a file that no record has, or if the
 * earlier run provably goes on.
 */
export async function replaceRecord(directory: string): Promise<void> {
  const failure = (reason: string, advice: string, cause?: unknown) => {
    const message = `Failed to make the record ${directory} for this job: ${reason}. ${advice}`;
    return new OutcomeError('config-error', message, { code: 'PRA-CONFIG-07', cause });
  };

  const move = 'Move it away, so that the record of the run can take its place.';

  try {
    const stats = await lstat(directory).catch(whenGone(undefined));

    if (stats !== undefined) {
      if (!stats.isDirectory()) throw failure('it is no directory, or a link to one', move);
      if (stats.uid !== process.geteuid?.()) throw failure('it belongs to another user', move);

      const parts = [...PROOFS, ...PARTS, RUN_FILES.unfinished];
      const foreign = (await readdir(directory)).find(
        (name) => !parts.includes(name) && !RUN_NAME.test(name),
      );
      if (foreign !== undefined)
        throw failure(`it holds ${JSON.stringify(foreign)}, which is no record`, move);

      if ((await livenessOfRun(directory)) === 'alive') {
        const wait = 'Wait for it, or end it with `pulumi-runner-agent finish`';
        throw failure('the agent of an earlier run still writes it', `${wait}.`);
      }

      await removeEnded(directory);
    }

    await mkdir(directory, { mode: 0o700 });
  } catch (cause) {
    if (cause instanceof OutcomeError) throw cause;
    throw failure(messageOf(cause), 'Start the command in a folder that this user can write to.', cause);
  }
}

/**
 * Makes room for a new record: moves that of a run that has ended into a folder beside its files,
 * which has the name of a run directory. Returns the folder, undefined without an earlier record.
 * Leaves foreign files alone. Throws OutcomeError `config-error` if the run may go on, or its
 * record can't be moved.
 */
export async function moveAside(directory: string): Promise<string | undefined> {
  const failure = (reason: string, advice: string, cause?: unknown) => {
    const message = `Failed to make the directory for the run: ${reason}. ${advice}`;
    return new OutcomeError('config-error', message, { code: 'PRA-CONFIG-07', cause });
  };

  const isOurs = (name: string) => [...PROOFS, RUN_FILES.unfinished].includes(name);

  try {
    if (!(await readdir(directory).catch(whenGone([]))).some(isOurs)) return undefined;

    const [first] = await readEvents(directory);
    const liveness = await livenessOfRun(directory);

    if (liveness !== 'dead' && !(liveness === 'unknown' && (await isSilent(directory)))) {
      const who =
        first?.type === 'agent-started' ? ` (process ${first.owner.pid} on ${first.owner.host})` : '';
      const reason = `${directory} has the record of another run, whose agent${who} may still be running`;
      const wait = 'or wait 10 minutes if it was killed';
      throw failure(reason, `Set run_directory to a separate folder for each agent, ${wait}.`);
    }

    const { mtimeMs } = await stat(directory);
    const began = Date.parse(first?.t ?? (await readResult(directory))?.startedAt ?? '');
    const aside = join(directory, runName(Number.isNaN(began) ? mtimeMs : began));

    // If two agents see the same record, only one makes the folder.
    await mkdir(aside, { mode: 0o700 }).catch(async (error: unknown) => {
      if (awayFromNow((await stat(aside)).mtimeMs) < MOVE_MS) throw error;
    });
    for (const name of [...PARTS, RUN_FILES.unfinished, ...PROOFS])
      await rename(join(directory, name), join(aside, name)).catch(whenGone(undefined));

    return aside;
  } catch (cause) {
    if (cause instanceof OutcomeError) throw cause;
    throw failure(messageOf(cause), 'Set run_directory to a folder that the agent can write to.', cause);
  }
}
