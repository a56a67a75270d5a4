import { Worker } from 'node:worker_threads';
import { withEntry } from '../../base/error-codes.ts';
import { clause, messageOf } from '../../base/outcome.ts';

/** Time between two checks by the thread, and between two resets by the main thread. */
const CHECK_MS = 5_000;

/** How long the main thread can always hang: hiding a megabyte of secrets took 20 s. */
const MIN_MS = 30_000;

/**
 * Time to write the message: a stopped reader of stderr may be what blocks the main thread.
 */
const MESSAGE_MS = 1_000;
const MESSAGE = 'The agent hangs: it kills itself, and its job with it.\n';

/** A heap limit that is more than the thread needs. */
const LIMITS = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 };

/**
 * Counts checks down, and the main thread resets the count: unlike a clock, it stands still while
 * the machine is suspended. A string, as the bundle is one file.
 */
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

/**
 * Until `stop`, kills the process, and with it its container in Docker, if its main thread hangs:
 * it could no longer stop its job. `leftMs` returns the milliseconds that it can hang from now on,
 * `leastMs` at least. Warns when the watching thread can't start, or dies. Never throws.
 */
export function startWatchdog(
  leftMs: () => number,
  warn: (message: string) => void,
  { checkMs = CHECK_MS, leastMs = MIN_MS } = {},
) {
  const checks = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const reset = () => void Atomics.store(checks, 0, Math.ceil(Math.max(leftMs(), leastMs) / checkMs));

  const failed = (error: unknown) => {
    const advice = 'The job continues; if the agent hangs, end it by hand.';
    const message = `Failed to watch the agent's main thread: ${clause(messageOf(error))}. ${advice}`;
    warn(withEntry(message, 'PRA-CLOUD-11'));
  };

  reset();

  try {
    const worker = new Worker(THREAD, {
      eval: true,
      workerData: { checks, checkMs, message: MESSAGE, messageMs: MESSAGE_MS },
      resourceLimits: LIMITS,
      // The thread needs neither the agent's preloaded modules nor its secrets.
      execArgv: [],
      env: {},
      name: 'watchdog',
    });

    worker.on('error', failed).unref();
    const resets = setInterval(reset, checkMs).unref();
    return {
      stop: async () => {
        clearInterval(resets);
        await worker.terminate();
      },
    };
  } catch (error) {
    failed(error);
    return { stop: async () => undefined };
  }
}
