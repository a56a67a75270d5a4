import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { flush } from '../flush.ts';
import { jobOfProcess } from './job-of-process.ts';
import { main } from './main.ts';
import { post } from './post.ts';

/** What action.yml names as the post phase's program. */
const POST_PROGRAM = 'action-post.mjs';
const FLUSH_MS = 500;

const job = jobOfProcess(process, process.env, fileURLToPath(import.meta.url));

const isPost = basename(process.argv[1] ?? '') === POST_PROGRAM;

// A late failure of something that was given up already; main can't know what else is broken then, post goes on.
process.on('uncaughtException', (error) => {
  const sentence = error.message.replaceAll('%', '%25').replace(/\s+/g, ' ');
  process.stdout.write(`::${isPost ? 'warning' : 'error'}::Failed to go on with the action: ${sentence}\n`, () => {
    if (!isPost) process.exit(1);
  });
});

let exitCode = 0;
if (isPost) await post(job);
else exitCode = await main(job);
await flush(process.stdout, FLUSH_MS);
// An artifact upload that was given up keeps its sockets open: nothing ends this process but this.
process.exit(exitCode);
