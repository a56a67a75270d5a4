import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { extract, pack } from 'tar-stream';
import { ContainerError, type ContainerFile } from '../../executor.ts';
import { oneLine } from '../../foreign-text.ts';
import type { DockerEngine } from '../engine/engine.ts';
import { type EngineRefusedError, refusedWith } from '../engine/errors.ts';
import { runScript } from './run-script.ts';
import { isOfHost, isTakenAway } from './start-advice.ts';

/** For files to go in or out. */
const ARCHIVE_MS = 60_000;
const ENVIRONMENT_BYTES = 1024 ** 2;

/** All users can write, but not remove each other's files: images run as different users. */
const OPEN_TO_ALL = 0o1777;

/** Files and folders to put into a container. */
interface Contents {
  readonly files: readonly ContainerFile[];
  /** Absolute paths of folders to make writable for every user in the container. */
  readonly openFolders: readonly string[];
}

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Puts files into a running container. Creates missing parent folders, leaves existing ones. Throws
 * ContainerError if the engine refuses a path that the deployment named.
 */
export async function putFiles(
  engine: DockerEngine,
  container: string,
  { files, openFolders }: Contents,
  { uid, gid }: FileOwner,
  signal: AbortSignal,
): Promise<void> {
  if (files.length + openFolders.length === 0) return;

  const archive = pack();
  const mtime = new Date();

  for (const path of openFolders)
    archive.entry({
      name: `${relative(path)}/`,
      type: 'directory',
      mode: OPEN_TO_ALL,
      uid: 0,
      gid: 0,
      mtime,
    });

  for (const { path, mode, content } of files)
    archive.entry({ name: relative(path), mode, uid, gid, mtime }, content);
  archive.finalize();

  const bytes = await buffer(archive);
  try {
    await engine.call(
      (docker, abortSignal) => docker.getContainer(container).putArchive(bytes, { path: '/', abortSignal }),
      { signal, ms: ARCHIVE_MS },
    );
  } catch (error) {
    const named = files.find(({ isNamed }) => isNamed);
    throw named === undefined || !isOfPath(error) ? error : unusable(named.path, error);
  }
}

/**
 * True if the engine's own refusal of files can be about their paths: it isn't a proxy's, and neither the disk nor the
 * container is gone.
 */
function isOfPath(error: unknown): error is EngineRefusedError {
  return refusedWith(error, 400, 403, 500) && !isOfHost(error.message) && !isTakenAway(error, undefined);
}

/** The error for an environment file whose path the deployment named and the engine refuses. */
function unusable(path: string, cause: EngineRefusedError): ContainerError {
  const advice =
    "Leave PULUMI_ENV_FILE out of the deployment's variables, or set it to a new file in a writable folder.";
  const message = `Failed to start a container for the job: the engine can't put PULUMI_ENV_FILE at ${oneLine(path)}: ${cause.message}. ${advice}`;
  return new ContainerError(message, { code: 'PRA-CONTAINER-01', cause, fault: 'deployment' });
}

/**
 * Puts files into a container that has not started, for its image's user, whose number the image's
 * files tell.
 */
export async function putFilesBeforeStart(
  engine: DockerEngine,
  container: string,
  contents: Contents,
  user: string,
  signal: AbortSignal,
): Promise<void> {
  const [name = '', group = ''] = user.split(':');

  const entry = async (path: string, field: number, text: string) => {
    const lines = (await readEnvironmentFile(engine, container, path, signal)).split('\n');
    return lines.map((line) => line.split(':')).find((fields) => fields[field] === text);
  };

  const isNumber = (text: string) => /^\d+$/.test(text);
  const account = await entry('/etc/passwd', isNumber(name) ? 2 : 0, name || 'root');
  const uid = isNumber(name) ? name : account?.[2];
  const gid =
    group === '' ? account?.[3] : isNumber(group) ? group : (await entry('/etc/group', 0, group))?.[2];

  await putFiles(engine, container, contents, { uid: Number(uid ?? 0), gid: Number(gid ?? 0) }, signal);
}

function relative(path: string): string {
  return posix.resolve('/', path).slice(1);
}

/**
 * The environment file's text; empty if it is missing. The engine reads it outside the container's
 * processes and follows no link. Throws ContainerError.
 */
export async function readEnvironmentFile(
  engine: DockerEngine,
  container: string,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    return await engine.call(
      async (docker, abortSignal) => {
        const stream = await docker.getContainer(container).getArchive({ path, abortSignal });
        return readEntry(stream as Readable, path);
      },
      { signal, ms: ARCHIVE_MS },
    );
  } catch (error) {
    if (refusedWith(error, 404) && !/no such container/i.test(error.message)) return '';
    throw error;
  }
}

const READ_SCRIPT = `
if [ -f "$0" ]; then head -c ${ENVIRONMENT_BYTES + 1} "$0"; elif [ -e "$0" ]; then echo 'it is not a regular file' >&2; fi`;

/** As `readEnvironmentFile`, through a process of the container's user. */
export async function readEnvironmentFileInside(
  engine: DockerEngine,
  container: string,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const { output, errors } = await runScript(engine, container, [READ_SCRIPT, path], signal);
  if (errors !== '') throw unreadable(path, errors, 'Only append lines to it.');
  if (output.length > ENVIRONMENT_BYTES)
    throw unreadable(path, 'it has more than 1 MiB', 'Keep it under 1 MiB.');
  return output.toString('utf8');
}

/** The error for an environment file that can't be read. */
function unreadable(path: string, cause: string, advice: string): ContainerError {
  const message = `Failed to read the environment file for the next step: ${path}: ${cause}. ${advice}`;
  return new ContainerError(message, { code: 'PRA-CONTAINER-06', fault: 'deployment' });
}

/**
 * Reads the one entry of the engine's archive, and the archive to its end. Destroys the stream.
 * Throws ContainerError.
 */
export async function readEntry(stream: Readable, path: string): Promise<string> {
  const archive = extract();

  // Never awaited: a stream that is destroyed after its last bytes came can leave a pipeline
  // unsettled for good (seen with Node 24.21). Its errors reach the archive.
  pipeline(stream, archive).catch(() => undefined);

  try {
    let text: string | undefined;
    for await (const entry of archive) {
      const { type, size = 0 } = entry.header;
      if (type !== 'file') throw unreadable(path, 'it is not a regular file', 'Only append lines to it.');
      if (size > ENVIRONMENT_BYTES) throw unreadable(path, `it has ${size} bytes`, 'Keep it under 1 MiB.');
      text = (await buffer(entry)).toString('utf8');
    }

    if (text === undefined) throw new Error('the archive is empty');
    return text;
  } finally {
    stream.destroy();
    archive.destroy();
  }
}
