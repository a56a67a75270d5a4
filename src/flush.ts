import type { Writable } from 'node:stream';

/** Resolves when everything written to `stream` so far is out, when its reader is gone, or after `ms` milliseconds. */
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
