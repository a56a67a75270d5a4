/** Runs a command of an engine once no file can be opened any more, and prints how that failed. */
import { closeSync, openSync } from 'node:fs';
import { z } from 'zod';
import { messageOf } from '../../../src/base/outcome.ts';
import { readReport } from '../../../src/ci-step/engine-process.ts';

const command = { program: process.execPath, args: ['--version'], directory: '/', environment: {} };
const limits = { deadlineMs: 10_000, signal: new AbortController().signal };
const open: number[] = [];
try {
  for (;;) open.push(openSync('/dev/null', 'r'));
} catch {
  // EMFILE: none is left.
}
const failure = await readReport(command, 'the plan', z.unknown(), limits).catch(messageOf);
for (const file of open) closeSync(file);
console.log(failure);
