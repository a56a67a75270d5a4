import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { flush } from '../flush.ts';
import { THREAD_ARGUMENT } from './heartbeat/argument.ts';

/** Milliseconds for a reader of what was printed who takes his time. */
const FLUSH_MS = 10_000;

if (process.argv[2] !== THREAD_ARGUMENT) {
  // A folder of the user's own: compiled code from a shared one could be somebody else's.
  enableCompileCache(
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'pulumi-runner-agent', 'compile-cache'),
  );
  const { main } = await import('./main.ts');
  const program = fileURLToPath(import.meta.url);
  const exitCode = await main({
    argv: process.argv.slice(2),
    environment: process.env,
    workingDirectory: process.cwd(),
    agentDirectory: dirname(program),
    program,
    process,
    exit: (code) => process.exit(code),
  });
  await Promise.all([flush(process.stdout, FLUSH_MS), flush(process.stderr, FLUSH_MS)]);
  process.exit(exitCode);
}
// A thread of a running agent: it starts no faster with the cache, and holds 4 MB more.
const { serveHeartbeats } = await import('./heartbeat/program.ts');
serveHeartbeats({ environment: process.env });
