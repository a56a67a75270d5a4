import { fileURLToPath } from 'node:url';
import { flush } from '../flush.ts';
import { jobOfProcess } from './job-of-process.ts';
import { main } from './main.ts';

const FLUSH_MS = 500;

const job = jobOfProcess(process, process.env, fileURLToPath(import.meta.url));

// A late failure of something that was given up already: nobody can know what else is broken then.
process.on('uncaughtException', ({ message }) => {
  process.stdout.write(
    `::error::Failed to go on with the action: ${message.replaceAll('%', '%25').replace(/\s+/g, ' ')}\n`,
    () => process.exit(1),
  );
});

const exitCode = await main(job);
await flush(process.stdout, FLUSH_MS);
// An artifact upload that was given up keeps its sockets open: nothing ends this process but this.
process.exit(exitCode);
