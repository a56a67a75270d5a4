import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { messageOf, OutcomeError } from '../../base/outcome.ts';
import { ARCHIVE_FOLDER } from './release.ts';

/** Bytes of all files of an archive together; those of Pulumi's have some 200 MB. */
const MAX_BYTES = 2 * 1024 ** 3;
const MAX_FILES = 1_000;

/** Set-user-ID, set-group-ID and sticky. */
const ODD_BITS = 0o7000;

/**
 * Unpacks a release's archive into `directory`, which is this user's alone, and returns the
 * archive's only folder. Programs get mode 0755, other files 0644: one program runs in containers,
 * as another user. Throws OutcomeError `target-error` for a link, a path that leads elsewhere, an
 * odd mode or a damaged archive, and the signal's reason.
 */
export async function unpack(archive: string, directory: string, signal: AbortSignal): Promise<string> {
  const folder = join(directory, ARCHIVE_FOLDER);
  try {
    await mkdir(folder, { mode: 0o700 });

    const entries = extract();
    const reading = pipeline(createReadStream(archive), createGunzip(), entries, { signal });
    const writing = writeEntries(entries, directory, signal);

    // A refused entry also ends the reading, whose own error says less.
    writing.catch((error) => entries.destroy(error instanceof Error ? error : undefined));

    const [written, read] = await Promise.allSettled([writing, reading]);
    for (const { status, ...end } of [written, read])
      if (status === 'rejected' && 'reason' in end) throw end.reason;

    return folder;
  } catch (cause) {
    signal.throwIfAborted();
    const message = `Failed to unpack Pulumi's agent for the run: ${messageOf(cause)}. Nothing of it was run; if this is your own mirror, compare it with the release on GitHub.`;
    throw new OutcomeError('target-error', message, { code: 'PRA-ENGINE-04', cause });
  }
}

async function writeEntries(
  entries: ReturnType<typeof extract>,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  let bytes = 0;
  let files = 0;

  for await (const entry of entries) {
    const { header } = entry;
    const reason = refusalOf(header);
    if (reason !== undefined)
      throw new Error(`${JSON.stringify(header.name.slice(0, 200))} in the archive ${reason}`);

    bytes += header.size ?? 0;
    files += 1;
    if (bytes > MAX_BYTES || files > MAX_FILES) throw new Error('the archive holds more than any release');

    const path = join(directory, header.name);
    if (header.type === 'directory') await mkdir(path, { recursive: true, mode: 0o700 });
    else await writeProgram(entry, path, header, signal);
    entry.resume();
  }
}

async function writeProgram(
  entry: AsyncIterable<unknown>,
  path: string,
  { mode = 0 }: Header,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Never overwrites: if the file is there, the archive names it twice.
  const target = createWriteStream(path, { flags: 'wx', mode: (mode & 0o111) === 0 ? 0o644 : 0o755 });
  await pipeline(entry, target, { signal });
}

/** Why an archive's entry is refused, as a clause; undefined if it isn't. */
export function refusalOf({
  name,
  type,
  mode = 0,
}: Pick<Header, 'name' | 'type' | 'mode'>): string | undefined {
  if (type === 'link' || type === 'symlink') return `is a ${type === 'link' ? 'hard' : 'symbolic'} link`;
  if (type !== 'file' && type !== 'directory') return `is a ${type}, not a file`;

  const parts = name.replace(/\/$/, '').split('/');
  const climbs = parts.some((part) => part === '' || part === '.' || part === '..');
  if (climbs || /[\\\p{Cc}]/u.test(name)) return 'has a path that leads elsewhere';
  if (parts[0] !== ARCHIVE_FOLDER) return `is outside ${ARCHIVE_FOLDER}/`;
  if (parts.length === 1 && type === 'file') return 'is where a folder is expected';
  if ((mode & ODD_BITS) !== 0) return `has the mode ${mode.toString(8)}, which no program of a release needs`;

  return undefined;
}
