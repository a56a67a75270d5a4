import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resourceStatements, statedChanges } from '../../../../src/record/output/statement.ts';
import { changeText, driftedText, onlyPlans, statedText } from '../../../../src/record/report/change-text.ts';
import { runs } from '../../../support/property-runs.ts';
import { temporaryDirectory } from '../../../support/run/temporary-directory.ts';

const ESC = '\u001b';

test.each([
  [
    'Resources:\n    + 3 created\n    ~ 1 updated\n    4 changes. 5 unchanged\n\nDuration: 3s\n',
    '3 created, 1 updated, 5 unchanged',
  ],
  ['Resources:\n    + 1 to create\n    +-2 to replace\n    3 changes\n', '1 to create, 2 to replace'],
  [`${ESC}[95mResources:${ESC}[0m\n    ${ESC}[32m+ 1 created${ESC}[0m\n`, '1 created'],
  // From a run of OpenTofu 1.12.6.
  [
    `${ESC}[0m${ESC}[1m${ESC}[32m\nApply complete! Resources: 3 added, 0 changed, 0 destroyed.\n${ESC}[0m`,
    '3 added, 0 changed, 0 destroyed',
  ],
  [`${ESC}[1mPlan:${ESC}[0m 3 to add, 0 to change, 0 to destroy.\n`, '3 to add, 0 to change, 0 to destroy'],
  ['Plan: 1 to add, 0 to destroy.\nDestroy complete! Resources: 1 destroyed.\n', '1 destroyed'],
  ['Resources:\n    + 1 <b>created</b>\n    ::error::\n', undefined],
  ['Plan: 1 to add; rm -rf.\n', undefined],
])('%j says %s', (output, expected) => {
  expect(statedChanges(output.split('\n'))).toBe(expected);
});

test('a link of any length before a statement is no part of it', () => {
  expect(statedChanges([`${ESC}]8;;http://${'x'.repeat(600)}\u0007Plan: 1 to add.`])).toBe('1 to add');
});

test('only figures and plain words are taken from an output', () => {
  const words = [
    'Resources:',
    'Plan: ',
    'Apply complete! Resources: ',
    '    + ',
    '1 created',
    ', ',
    '.',
    '\n',
    '<b>',
    '|',
    '`',
  ];
  const piece = fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary', maxLength: 5 }));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      expect(statedChanges(pieces.join('').split('\n')) ?? '').toMatch(/^(?:\d[a-z0-9 ,-]*)?$/);
    }),
    { numRuns: runs(3_000) },
  );
});

test("only the end of a step's log is read, however large it is, and step 0 is skipped", async () => {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'steps'));
  const statement = 'Apply complete! Resources: 1 added, 0 changed, 0 destroyed.\n';
  await writeFile(join(directory, 'steps/00-setup.log'), statement);
  await writeFile(join(directory, 'steps/01-a.log'), `${statement}${'x'.repeat(99)}\n`.repeat(20_000));
  await writeFile(join(directory, 'steps/02-b.log'), `${statement}${'x\n'.repeat(300_000)}`);
  const steps = ['00-setup', '01-a', '02-b', '03-none'].map((name, index) => {
    return { index, name, status: 'succeeded' as const, log: `steps/${name}.log` };
  });
  expect(await resourceStatements(directory, steps)).toEqual([
    { index: 1, name: '01-a', changes: '1 added, 0 changed, 0 destroyed' },
  ]);
});

test.each([
  ['3 created, 1 updated, 1 replaced, 12 unchanged', '1 replaced, 3 created, 1 updated'],
  ['2 to create, 1 to delete', '1 to delete, 2 to create'],
  ['5 to add, 0 to change, 2 to destroy', '2 to delete, 5 to create'],
  ['1 imported, 4 added, 0 changed, 0 destroyed', '4 created, 1 imported'],
  ['4 unchanged', 'no changes'],
])('%s is %s at a glance', (changes, text) => {
  expect(statedText(changes)).toBe(text);
});

test('without counts there is no text', () => {
  expect(changeText({}, { planned: false })).toBeUndefined();
  expect(statedText('')).toBeUndefined();
});

test('the counts of a preview are a plan', () => {
  expect(changeText({ create: 4, same: 2, replace: 1 }, { planned: onlyPlans('preview') })).toBe(
    '1 to replace, 4 to create',
  );
});

test('what drifted is counted by words of ours, or by those of Pulumi Cloud', () => {
  const changes = { update: 2, constructor: 1, 'read-replacement': 1 };
  expect(driftedText({ driftRun: { changes } }, ': ')).toBe(': 2 changed, 1 constructor, 1 read-replacement');
});
