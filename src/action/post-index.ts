import { fileURLToPath } from 'node:url';
import { flush } from '../flush.ts';
import { jobOfProcess } from './job-of-process.ts';
import { post } from './post.ts';

const FLUSH_MS = 500;

const job = jobOfProcess(process, process.env, fileURLToPath(import.meta.url));

// A late failure of something that was given up already: post goes on.
process.on('uncaughtException', ({ message }) => {
  process.stdout.write(
    `::warning::Failed to go on with the action: ${message.replaceAll('%', '%25').replace(/\s+/g, ' ')}\n`,
  );
});

await post(job);
await flush(process.stdout, FLUSH_MS);
// An artifact upload that was given up keeps its sockets open: nothing ends this process but this.
process.exit(0);
