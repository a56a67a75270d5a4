import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';

/**
 * Unpacks a zip in memory, directories left out.
 * @throws when it is no zip, holds an entry twice, an unsafe name (absolute, or with `..`), or a wrong size or checksum
 */
export async function unzip(archive: Buffer): Promise<Map<string, Buffer>> {
  const zip = await fromBufferPromise(archive, { strictFileNames: true });
  const entries = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const { fileName } = entry;
    if (fileName.endsWith('/')) continue;
    if (entries.has(fileName)) throw new Error(`Failed to unzip an artifact: "${fileName}" is in it twice.`);
    const content = await buffer(await zip.openReadStreamPromise(entry));
    if (crc32(content) !== entry.crc32)
      throw new Error(`Failed to unzip an artifact: the checksum of "${fileName}" is wrong.`);
    entries.set(fileName, content);
  }
  return entries;
}

/** As GitHub writes an artifact's digest. */
export function digestOf(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
