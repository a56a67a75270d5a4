import type { Writable } from 'node:stream';

/** Writes text and resolves when the reader has room for more. */
export type Write = (text: string) => Promise<void>;

/**
 * A `Write` for a stream that others write to as well. When `signal` aborts nobody waits any longer; what was written
 * stays queued in its order.
 */
export function writerOf(stream: Writable, signal: AbortSignal): Write {
  return async (text) => {
    // A stream whose reader is gone never drains: the run goes on unseen.
    if (stream.destroyed || stream.write(text) || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        stream.off('drain', end);
        stream.off('close', end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      stream.once('drain', end);
      stream.once('close', end);
      signal.addEventListener('abort', end, { once: true });
    });
  };
}
