import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, pack } from 'tar-stream';
import type { ContainerFile } from '../executor.ts';

/** Whose the files are. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** A file that was read from a container, or what stands in its place. */
export type ArchivedFile =
  | { readonly kind: 'file'; readonly text: string }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'too-big'; readonly bytes: number }
  | { readonly kind: 'other'; readonly type: string };

/** A tar archive to unpack at `/`. Folders aren't listed: unpacking would give those that exist another owner and mode. */
export async function packFiles(files: readonly ContainerFile[], { uid, gid }: Owner): Promise<Buffer> {
  const archive = pack();
  for (const { path, mode, content } of files) {
    archive.entry({ name: posix.resolve('/', path).slice(1), mode, uid, gid, mtime: new Date() }, content);
  }
  archive.finalize();
  return collected(archive);
}

/** A tar archive to unpack at `/`, which gives one folder to root with this mode, whether it is there or not. */
export async function packFolder(path: string, mode: number): Promise<Buffer> {
  const archive = pack();
  const name = `${posix.resolve('/', path).slice(1)}/`;
  archive.entry({ name, type: 'directory', mode, uid: 0, gid: 0, mtime: new Date() });
  archive.finalize();
  return collected(archive);
}

async function collected(archive: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of archive as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Reads the one entry of an archive that the engine made, up to `limit` bytes. Destroys the stream. */
export async function readEntry(stream: Readable, limit: number): Promise<ArchivedFile> {
  const archive = extract();
  // A pipeline that is left early rejects; what was read by then is what counts.
  const piped = pipeline(stream, archive).catch(() => undefined);
  try {
    for await (const entry of archive) {
      const { type, size = 0, linkname } = entry.header;
      if (type === 'symlink' && typeof linkname === 'string') return { kind: 'link', target: linkname };
      if (type !== 'file') return { kind: 'other', type: type ?? 'unknown' };
      if (size > limit) return { kind: 'too-big', bytes: size };
      const chunks: Buffer[] = [];
      for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
      return { kind: 'file', text: Buffer.concat(chunks).toString('utf8') };
    }
    throw new Error('the archive is empty');
  } finally {
    stream.destroy();
    archive.destroy();
    await piped;
  }
}
