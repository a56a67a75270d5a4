import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { isCutShort } from '../../../../src/record/output/interrupt.ts';

const OUTPUTS = new URL('../../../support/pulumi-output/', import.meta.url);
const output = (name: string) => readFile(new URL(`${name}.txt`, OUTPUTS), 'utf8');

/** What the CLI prints at an interrupt, and how an operation ends that finishes its last resource all the same. */
const INTERRUPT = '^C received; cancelling. If you would like to terminate immediately, press ^C again.\n';
const FINISHED = ' +  tempo:index:Work slow created (9s) \nResources:\n    + 1 created\n\nDuration: 9s\n';

it.each([
  ['up-interrupted', true],
  ['up-failed', false],
  ['up-change', false],
])('an interrupt cut %s short: %s', async (name, expected) => {
  expect(isCutShort(await output(name))).toBe(expected);
});

it.each([
  ['printed no end', `Updating (prod)\n${INTERRUPT}SIGTERM received; terminating.\n`, true],
  ['printed its end', `Updating (prod)\n${INTERRUPT}${FINISHED}`, false],
  [
    'came after one that an error ended',
    `Updating (a)\nerror: x\nUpdating (b)\n${INTERRUPT}${FINISHED}`,
    false,
  ],
  ['only previewed', `Previewing update (prod)\n${INTERRUPT}error: preview canceled\n`, true],
  ['had colors', `\u001b[31m${INTERRUPT}\u001b[0merror: update canceled\u001b[0m\nResources:\n`, true],
])('an interrupted operation that %s', (_, text, expected) => {
  expect(isCutShort(text)).toBe(expected);
});
