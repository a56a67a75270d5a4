/** A thread that says it is ready and then does nothing any more, not even listen. */
import { parentPort } from 'node:worker_threads';

parentPort?.once('message', () => {
  // As blocked as by an endless loop, which would take a core from whatever runs beside.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
parentPort?.postMessage({ type: 'ready' });
