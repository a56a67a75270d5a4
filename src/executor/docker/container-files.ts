import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import type { ContainerFile } from '../executor.ts';
import { type ArchivedFile, packFiles, readEntry } from './archive.ts';
import type { Engine } from './engine.ts';
import { refusedWith } from './errors.ts';
import { imageOwner } from './owner.ts';

const ARCHIVE_MS = 60_000;
/** A passwd file is a few kilobytes. */
const TABLE_BYTES = 1024 ** 2;
/** `/etc/passwd` may be a link, and that one too; more is a loop. */
const LINKS = 4;

/** Puts files into a container, started or not, owned by the image's user. */
export async function putFiles(
  engine: Engine,
  container: string,
  { files, user, signal }: { files: readonly ContainerFile[]; user: string; signal: AbortSignal },
): Promise<void> {
  if (files.length === 0) return;
  const owner = await imageOwner(user, (path) => readTable(engine, container, path, signal));
  const archive = await packFiles(files, owner);
  await engine.call(
    (docker, abortSignal) => docker.getContainer(container).putArchive(archive, { path: '/', abortSignal }),
    { signal, ms: ARCHIVE_MS },
  );
}

/** Reads one entry of a container's file system; undefined when nothing is at `path`. The engine follows no last link. */
export async function readFile(
  engine: Engine,
  container: string,
  { path, limit, signal }: { path: string; limit: number; signal: AbortSignal },
): Promise<ArchivedFile | undefined> {
  try {
    return await engine.call(
      async (docker, abortSignal) => {
        const stream = await docker.getContainer(container).getArchive({ path, abortSignal });
        return readEntry(stream as Readable, limit);
      },
      { signal, ms: ARCHIVE_MS },
    );
  } catch (error) {
    if (refusedWith(error, 404)) return undefined;
    throw error;
  }
}

async function readTable(
  engine: Engine,
  container: string,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  let at = path;
  for (let links = 0; links < LINKS; links += 1) {
    const found = await readFile(engine, container, { path: at, limit: TABLE_BYTES, signal });
    if (found?.kind !== 'link') return found?.kind === 'file' ? found.text : undefined;
    at = posix.resolve(posix.dirname(at), found.target);
  }
  return undefined;
}
