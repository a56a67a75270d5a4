import type { Writable } from 'node:stream';

/** Resolves once everything written to `stream` is flushed, its reader is gone, or `ms` milliseconds have passed. */
export async function flush(stream: Writable, ms: number): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    stream.once('error', end);
    stream.once('close', end);
    stream.write('', end);
  });
}
