/** A thread that says it is ready and then does nothing any more, not even listen. */
import { parentPort } from 'node:worker_threads';

parentPort?.once('message', () => {
  for (;;);
});
parentPort?.postMessage({ type: 'ready' });
