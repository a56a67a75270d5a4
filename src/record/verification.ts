import { basename } from 'node:path';
import { parsedJson } from '../base/json.ts';
import { messageOf } from '../base/outcome.ts';
import { digestOf, fileDigest, plainNames, resultBytes } from './digests.ts';
import { RUN_NAME } from './run-directory.ts';
import { type JobRecord, RECORD_DIRECTORY, RUN_FILES, type RunResult, runResultSchema } from './schema.ts';

/** The paths that a record of ours names: any other is not followed, wherever it leads. */
const LOG = /^steps\/[\w.-]+\.log$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** A file of a record; without a problem, its digest is the recorded one. Names can be hostile. */
export interface VerifiedFile {
  readonly path: string;
  readonly problem?: string | undefined;
}

export interface Verification {
  readonly files: readonly VerifiedFile[];
  /** What is there and no digest ever pins: files of the record, and folders of earlier runs. */
  readonly unpinned: readonly string[];
  /** Of the run's own run.json, which nothing here pins; undefined if it can't be read. */
  readonly sha256: string | undefined;
}

/** The files of a record that run.json has no digest of, with the page that is made of it. */
const UNPINNED: readonly string[] = [
  RUN_FILES.log,
  RUN_FILES.events,
  RUN_FILES.health,
  RUN_FILES.wire,
  RUN_FILES.unfinished,
  'report.html',
];

/**
 * Compares the files of a run directory with the digests in its run.json, and those of the records
 * in `deployments/` with theirs; any other file is a problem. Verifies no signature: run.json itself is taken as it is. Follows
 * no link, and no path out of the directory. Never rejects: an unreadable file is a problem.
 */
export async function verifyRecord(directory: string): Promise<Verification> {
  const { result, problem, sha256 } = await readPinned(directory, RUN_FILES.result);
  if (result === undefined) return { files: [{ path: RUN_FILES.result, ...problem }], unpinned: [], sha256 };

  const { records } = result;
  const files = await verifyLogs(directory, '', result);
  for (const record of records ?? []) files.push(...(await verifyJobRecord(directory, record)));

  const recordNames = (records ?? []).map((record) => basename(record.directory));
  files.push(...(await unknownNames(directory, RUN_FILES.deployments, recordNames)));

  const parts = [
    RUN_FILES.result,
    RUN_FILES.steps,
    ...(records === undefined ? [] : [RUN_FILES.deployments]),
  ];
  // A record that a later run has moved aside has a run.json of its own.
  const earlier = (await namesIn(directory, '')).filter((name) => RUN_NAME.test(name));
  files.push(...(await unknownNames(directory, '', [...UNPINNED, ...parts, ...earlier])));

  const folders = ['', ...recordNames.map((name) => `${RUN_FILES.deployments}/${name}`)];
  const unpinned = await Promise.all(folders.map((folder) => unpinnedIn(directory, folder)));
  return { files, unpinned: [...unpinned.flat(), ...earlier], sha256 };
}

/** The record of one deployment: its run.json, and if that is the recorded one, its logs. */
async function verifyJobRecord(
  directory: string,
  { directory: folder, sha256: recorded }: JobRecord,
): Promise<VerifiedFile[]> {
  if (!RECORD_DIRECTORY.test(folder)) return [outside(folder)];

  const path = `${folder}/${RUN_FILES.result}`;
  const { result, problem, sha256 } = await readPinned(directory, path);
  const broken = sha256 === undefined ? problem : (difference(recorded, sha256) ?? problem);
  if (broken !== undefined || result === undefined) return [{ path, ...broken }];

  const parts = [...UNPINNED, RUN_FILES.result, RUN_FILES.steps];
  const others = await unknownNames(directory, folder, parts);
  return [{ path }, ...(await verifyLogs(directory, `${folder}/`, result)), ...others];
}

/** The logs of one record, those that it names and those that it doesn't. */
async function verifyLogs(directory: string, prefix: string, { steps }: RunResult): Promise<VerifiedFile[]> {
  const files: VerifiedFile[] = [];
  const logNames: string[] = [];

  for (const { log, sha256 } of steps) {
    if (log === undefined) continue;
    if (!LOG.test(log)) {
      files.push(outside(`${prefix}${log}`));
      continue;
    }

    const path = `${prefix}${log}`;
    logNames.push(basename(log));
    files.push({ path, ...(await problemOf(() => fileDigest(directory, path), sha256)) });
  }

  return [...files, ...(await unknownNames(directory, `${prefix}${RUN_FILES.steps}`, logNames))];
}

interface Problem {
  readonly problem: string;
}

async function problemOf(
  digest: () => Promise<string | undefined>,
  recorded: string | undefined,
): Promise<Problem | undefined> {
  try {
    const actual = await digest();
    return actual === undefined ? { problem: 'is missing' } : difference(recorded, actual);
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function difference(recorded: string | undefined, actual: string): Problem | undefined {
  if (recorded === undefined || !SHA256.test(recorded))
    return { problem: 'has no digest in run.json: its record is incomplete' };
  if (recorded === actual) return undefined;
  return { problem: `is not the recorded file: its SHA-256 is ${actual}, run.json has ${recorded}` };
}

function outside(path: string): VerifiedFile {
  return { path, problem: 'is no path of a record: it was not followed' };
}

/** Files and folders that a reader could take for a part of the record, and that no digest pins. */
async function unknownNames(
  directory: string,
  folder: string,
  names: readonly string[],
): Promise<VerifiedFile[]> {
  try {
    const others = (await plainNames(directory, folder)).filter((name) => !names.includes(name));
    return others.map((name) => ({ path: inFolder(folder, name), problem: 'is not in run.json' }));
  } catch (error) {
    return [{ path: folder, problem: messageOf(error) }];
  }
}

async function unpinnedIn(directory: string, folder: string): Promise<string[]> {
  const names = await namesIn(directory, folder);
  return names.filter((name) => UNPINNED.includes(name)).map((name) => inFolder(folder, name));
}

/** The names in a folder; none if it can't be read. */
function namesIn(directory: string, folder: string): Promise<string[]> {
  return plainNames(directory, folder).catch(() => []);
}

function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** A run.json with its digest, or the problem with it. */
async function readPinned(directory: string, path: string) {
  try {
    const bytes = await resultBytes(directory, path);
    if (bytes === undefined) return { problem: { problem: 'is missing' } };

    const sha256 = digestOf(bytes);
    const parsed = runResultSchema.safeParse(parsedJson(bytes.toString('utf8')));
    if (parsed.success) return { result: parsed.data, sha256 };
    return { problem: { problem: 'is not what this version writes' }, sha256 };
  } catch (error) {
    return { problem: { problem: messageOf(error) } };
  }
}
