/** Runs the program that it is given as a hook once no file can be opened any more, and prints how it ended. */
import { closeSync, openSync } from 'node:fs';
import { runHook } from '../../../src/agent/hooks/hook.ts';

const [, , program = ''] = process.argv;
const options = {
  ...{ program, environment: {}, variables: {}, input: '' },
  ...{ timeoutMs: 10_000, signal: new AbortController().signal },
};
const open: number[] = [];
try {
  for (;;) open.push(openSync('/dev/null', 'r'));
} catch {
  // EMFILE: none is left.
}
const end = await runHook(options);
for (const file of open) closeSync(file);
console.log(JSON.stringify(end));
