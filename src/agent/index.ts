import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { flush } from '../flush.ts';
import { THREAD_ARGUMENT } from './heartbeat/argument.ts';

/** Milliseconds for a reader of what was printed who takes his time. */
const FLUSH_MS = 10_000;

if (process.argv[2] !== THREAD_ARGUMENT) {
  const { main } = await import('./main.ts');
  const program = fileURLToPath(import.meta.url);
  const exitCode = await main({
    argv: process.argv.slice(2),
    environment: process.env,
    workingDirectory: process.cwd(),
    agentDirectory: dirname(program),
    program,
    process,
  });
  await Promise.all([flush(process.stdout, FLUSH_MS), flush(process.stderr, FLUSH_MS)]);
  process.exit(exitCode);
}
// A thread of a running agent.
const { serveHeartbeats } = await import('./heartbeat/program.ts');
serveHeartbeats({ environment: process.env });
