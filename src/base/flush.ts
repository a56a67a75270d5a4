import { once } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * Resolves once everything written to `stream` is flushed, its reader is gone, or `signal` aborts.
 */
export async function flush(stream: Writable, signal: AbortSignal): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return;
  const flushed = new AbortController();
  stream.write('', (error) => {
    // The stream emits an error only after this: `once` must still listen, or the error would end
    // the process.
    if (!error) flushed.abort();
  });

  // Rejects on an error of the stream, too.
  await once(stream, 'close', { signal: AbortSignal.any([signal, flushed.signal]) }).catch(() => undefined);
}
