import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// A folder of the user's own: compiled code from a shared one could be somebody else's.
enableCompileCache(
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'pulumi-runner-agent', 'compile-cache'),
);

const { main } = await import('./main.ts');
process.exit(
  await main({
    argv: process.argv.slice(2),
    environment: process.env,
    workingDirectory: process.cwd(),
    agentDirectory: dirname(fileURLToPath(import.meta.url)),
    process,
  }),
);
