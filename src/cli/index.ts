import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { flush } from '../flush.ts';
import { main } from './main.ts';

/** Milliseconds for a slow reader of what was printed. */
const FLUSH_MS = 10_000;

/** A function, as the single file's format knows no await outside of one. */
async function start(): Promise<void> {
  const exitCode = await main({
    argv: process.argv.slice(2),
    environment: process.env,
    workingDirectory: process.cwd(),
    agentDirectory: dirname(fileURLToPath(import.meta.url)),
    process,
    exit: (code) => process.exit(code),
  });
  await Promise.all([flush(process.stdout, FLUSH_MS), flush(process.stderr, FLUSH_MS)]);
  process.exit(exitCode);
}

void start();
