import { dirname } from 'node:path';
import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { isWithheld } from '../base/environment.ts';
import { flush } from '../base/flush.ts';
import { main } from './main.ts';

/** Time to flush the output to a slow reader. */
const FLUSH_MS = 10_000;

/** A function, because the bundle's format has no top-level await. */
async function start(): Promise<void> {
  const environment = { ...process.env };

  // A kubeconfig's credential plugin, which a library starts, inherits the rest.
  for (const name of Object.keys(environment)) if (isWithheld(name, environment)) delete process.env[name];

  const exitCode = await main({
    argv: process.argv.slice(2),
    environment,
    workingDirectory: process.cwd(),
    agentDirectory: dirname(fileURLToPath(import.meta.url)),
    script: isSea() ? undefined : process.argv[1],
    process,
    exit: (code) => process.exit(code),
  });

  const late = AbortSignal.timeout(FLUSH_MS);

  await Promise.all([flush(process.stdout, late), flush(process.stderr, late)]);
  process.exit(exitCode);
}

// Until there is a verdict: an agent that runs out of events has not succeeded.
process.exitCode = 1;
void start();
