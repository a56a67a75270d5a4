// Adds up the results of test runs, and explains each failure: the last lines of what can be a long log.
// Usage: node scripts/test-totals.ts RESULTS.json...   (exit code 1 if a test failed or was skipped, or a run passed none)
import { readFileSync } from 'node:fs';
import type { Results } from './test-reporter.ts';

const runs = process.argv.slice(2).map((path): Results => JSON.parse(readFileSync(path, 'utf8')));
const sum = (count: (run: Results) => number) => runs.reduce((total, run) => total + count(run), 0);
const failed = sum((run) => run.failed);
const skipped = sum((run) => run.skipped);

for (const { name, reason } of runs.flatMap(({ failures }) => failures))
  process.stdout.write(`\nfailed: ${name}\n    ${reason.replaceAll('\n', '\n    ')}\n`);
process.stdout.write(`\n${sum((run) => run.passed)} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed > 0 || skipped > 0 || runs.some(({ passed }) => passed === 0) ? 1 : 0;
