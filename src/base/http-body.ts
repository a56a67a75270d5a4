import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

/** Reads a body whole; undefined if it has more than `most` bytes. Throws what reading throws. */
export async function readAtMost(body: AsyncIterable<Buffer>, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;

  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most) return undefined;
    chunks.push(chunk);
  }

  return Buffer.concat(chunks);
}

/**
 * A body without its Content-Encoding (RFC 9110, 8.4), at most `maxBytes` of it: RangeError beyond. Throws what
 * node:zlib throws, also for a body that is cut off, and an error for an unknown encoding.
 */
export function decompressed(bytes: Buffer, encoding: string | undefined, maxBytes: number): Buffer {
  // A proxy can name an encoding for a body that it left empty.
  if (bytes.length === 0) return bytes;
  const options = { maxOutputLength: maxBytes };
  switch (encoding?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return bytes;
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, options);
    case 'deflate':
      // Some servers leave out zlib's header, whose low four bits are 8.
      return ((bytes[0] ?? 8) & 15) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options);
    case 'br':
      return brotliDecompressSync(bytes, options);
    default:
      throw new Error(`unknown encoding ${encoding}`);
  }
}
