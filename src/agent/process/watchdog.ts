import { Worker } from 'node:worker_threads';
import { withEntry } from '../../error-codes.ts';
import { clause, messageOf } from '../../outcome.ts';

/** Milliseconds between two checks of the thread, and between two signs of life of the main thread. */
const CHECK_MS = 5_000;
/** Milliseconds that the main thread may hang in any case: to learn a megabyte of secrets has kept it busy for 20 s. */
const LEAST_MS = 30_000;
/** Milliseconds for the message: stderr's reader may have stopped, and be what holds the main thread. */
const MESSAGE_MS = 1_000;
const MESSAGE = 'The agent hangs: it ends itself, and its job with it.\n';
/** All that the thread's heap needs, with room. */
const LIMITS = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 };

/** Counts checks down, which the main thread winds up again: a machine that was suspended has checked once. A text, as the bundle is one file. */
const THREAD = `
const { write } = require('node:fs');
const { workerData: { checks, checkMs, message, messageMs } } = require('node:worker_threads');
const watch = setInterval(() => {
  if (Atomics.sub(checks, 0, 1) > 1) return;
  clearInterval(watch);
  write(2, message, () => undefined);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), messageMs);
}, checkMs);
`;

export interface WatchdogOptions {
  /** Milliseconds that the main thread may hang from now on; half a minute is left to it in any case. */
  readonly leftMs: () => number;
  /** Called when there is no thread to watch, or none any more. */
  readonly onFailure: (message: string) => void;
  readonly checkMs?: number;
  readonly leastMs?: number;
}

/** Ends the process, and its container in Docker, when its main thread hangs, until `stop`: it could no longer stop its job. Never throws. */
export function startWatchdog({ leftMs, onFailure, checkMs = CHECK_MS, leastMs = LEAST_MS }: WatchdogOptions): {
  stop(): Promise<void>;
} {
  const checks = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const wind = () => void Atomics.store(checks, 0, Math.ceil(Math.max(leftMs(), leastMs) / checkMs));
  const failed = (error: unknown) =>
    onFailure(
      withEntry(
        `Failed to watch the agent's main thread: ${clause(messageOf(error))}. The job goes on; should the agent hang, end it by hand.`,
        'PRA-CLOUD-11',
      ),
    );
  wind();
  try {
    const worker = new Worker(THREAD, {
      eval: true,
      workerData: { checks, checkMs, message: MESSAGE, messageMs: MESSAGE_MS },
      resourceLimits: LIMITS,
      // It needs neither what the agent's own start preloads nor its secrets.
      execArgv: [],
      env: {},
      name: 'watchdog',
    });
    worker.on('error', failed).unref();
    const winding = setInterval(wind, checkMs).unref();
    return {
      stop: async () => {
        clearInterval(winding);
        await worker.terminate();
      },
    };
  } catch (error) {
    failed(error);
    return { stop: async () => undefined };
  }
}
