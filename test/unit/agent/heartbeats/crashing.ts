/** The heartbeats' thread, which dies a moment after it has begun. */
import { parentPort } from 'node:worker_threads';
import { serveHeartbeats } from '../../../../src/agent/heartbeat/program.ts';

serveHeartbeats({ environment: {} });
parentPort?.on('message', ({ type }: { type: string }) => {
  if (type !== 'begin') return;
  setTimeout(() => {
    throw new Error('out of its mind');
  }, 250);
});
