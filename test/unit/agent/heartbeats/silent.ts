/** A thread that never gets ready. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', () => undefined);
