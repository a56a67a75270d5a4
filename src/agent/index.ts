import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { THREAD_ARGUMENT } from './heartbeat/argument.ts';

if (process.argv[2] !== THREAD_ARGUMENT) {
  // A folder of the user's own: compiled code from a shared one could be somebody else's.
  enableCompileCache(
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'pulumi-runner-agent', 'compile-cache'),
  );
  const { main } = await import('./main.ts');
  const program = fileURLToPath(import.meta.url);
  process.exit(
    await main({
      argv: process.argv.slice(2),
      environment: process.env,
      workingDirectory: process.cwd(),
      agentDirectory: dirname(program),
      program,
      process,
    }),
  );
}
// A thread of a running agent: it starts no faster with the cache, and holds 4 MB more.
const { serveHeartbeats } = await import('./heartbeat/program.ts');
serveHeartbeats({ environment: process.env });
