import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Writes `text`. Resolves once it is out, the stream's reader is gone, or `signal` aborts. */
export async function writeOut(stream: Writable, text: string, signal: AbortSignal): Promise<void> {
  if (stream.destroyed) return;
  const out = new AbortController();
  stream.write(text, () => out.abort());
  await once(stream, 'close', { signal: AbortSignal.any([signal, out.signal]) }).catch(() => undefined);
}

/** Resolves once everything written to `stream` is out, its reader is gone, or `ms` milliseconds have passed. */
export async function flush(stream: Writable, ms: number): Promise<void> {
  if (stream.writableLength > 0) await writeOut(stream, '', AbortSignal.timeout(ms));
}
