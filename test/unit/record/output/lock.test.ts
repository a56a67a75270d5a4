import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { lockBy, lockHint, lockSignIn } from '../../../../src/record/output/lock.ts';
import { isLocked, lockText, type StackLock } from '../../../../src/record/stack-lock.ts';
import { temporaryDirectory } from '../../../support/run/temporary-directory.ts';

const OUTPUTS = new URL('../../../support/pulumi-output/', import.meta.url);
const output = (name: string) => readFile(new URL(`${name}.txt`, OUTPUTS), 'utf8');

describe('what the output of Pulumi’s CLI tells about its stack’s lock', () => {
  it.each([
    ['up-conflict', 'conflict'],
    ['up-interrupted', 'released'],
    ['up-failed', undefined],
    ['up-change', undefined],
  ])('%s: %s', async (name, expected) => {
    expect(lockSignIn((await output(name)).split('\n'))).toBe(expected);
  });

  it('is an interrupt without an end, if the output ends there', async () => {
    const [before = ''] = (await output('up-interrupted')).split('Duration:');
    expect(lockSignIn(before.split('\n'))).toBe('interrupted');
  });

  it.each(['Previewing update (prod)', 'Previewing update (acme/prod):'])(
    'is nothing, if only a preview was interrupted: %s',
    async (title) => {
      const preview = (await output('up-interrupted')).replace('Updating (prod)', title);
      const [before = ''] = preview.split('Duration:');
      expect(lockSignIn(before.split('\n'))).toBeUndefined();
      expect(lockSignIn(`${preview}Updating (prod)\n^C received; cancelling.`.split('\n'))).toBe(
        'interrupted',
      );
    },
  );

  it('is the conflict of an update after an interrupted one', async () => {
    const both = (await output('up-interrupted')) + (await output('up-conflict'));
    expect(lockSignIn(both.split('\n'))).toBe('conflict');
  });
});

test.each([
  ['succeeded', { exitCode: 0 }, undefined],
  ['not-started', {}, undefined],
  ['failed', { exitCode: 1 }, undefined],
  ['failed', { exitCode: 137 }, 'forced'],
  ['failed', { endedByForce: true as const }, 'forced'],
  ['running', {}, 'forced'],
])('a step that is %s with %j hints at %s, but never the preparation', async (status, end, expected) => {
  const setup = { index: 0, name: 'Setup', status, ...end };
  const steps = [setup, { ...setup, index: 1, name: 'pulumi up' }];
  const hint = await lockHint('/nowhere', steps);
  expect(hint).toEqual(expected && { sign: expected, step: 'pulumi up' });
});

test('only a failed step’s output hints at a lock', async () => {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'steps'));
  await writeFile(join(directory, 'steps/01.log'), await output('up-conflict'));
  const step = { index: 1, name: 'pulumi up', log: 'steps/01.log' };
  expect(await lockHint(directory, [{ ...step, status: 'failed' }])).toMatchObject({ sign: 'conflict' });
  expect(await lockHint(directory, [{ ...step, status: 'succeeded' }])).toBeUndefined();
});

test('the step before one that was not run hints at a lock, though it succeeded', async () => {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, '01.log'), '^C received; cancelling.\nDuration: 2s\n');
  const [update, next] = [
    { index: 1, name: 'pulumi up', status: 'succeeded', exitCode: 0, log: '01.log' },
    { index: 2, name: 'next', status: 'failed', failure: 'not-run' },
  ];
  const last = { index: 3, name: 'last', status: 'not-started' };
  expect(await lockHint(directory, [update, next, last])).toEqual({ sign: 'released', step: 'pulumi up' });
  expect(await lockHint(directory, [next, last])).toBeUndefined();
});

test.each<[StackLock | undefined, string]>([
  [
    { state: 'locked', kind: 'update', author: 'dev', startedAt: '2026-11-28T22:10:05.000Z' },
    'acme/web/dev is locked: update by dev since 2026-11-28 22:10:05 UTC, by Pulumi Cloud’s record. Wait',
  ],
  [
    lockBy({ sign: 'conflict', step: 'up' }),
    'acme/web/dev is locked by another update, according to the output. Wait',
  ],
  [
    lockBy({ sign: 'forced', step: 'up' }),
    'up of acme/web/dev was ended by force, and may have left the stack',
  ],
  [
    lockBy({ sign: 'interrupted', step: 'up' }),
    'up of acme/web/dev was interrupted, and its output doesn’t show how it ended. It may have left the stack locked.',
  ],
  [
    lockBy({ sign: 'released', step: 'up' }),
    'The update of acme/web/dev was interrupted gracefully, according to its output.',
  ],
  [{ state: 'free' }, 'acme/web/dev is free: no update holds it, by Pulumi Cloud’s record.'],
  [{ state: 'free', conflict: true }, 'acme/web/dev is free now: the other update has ended'],
])('a person reads %j as %s', (lock, expected) => {
  const text = lock === undefined ? '' : lockText(lock, 'acme/web/dev');
  expect(text.replaceAll("'", '’')).toContain(expected);
  expect(text.endsWith('`pulumi cancel acme/web/dev`.')).toBe(lock !== undefined && isLocked(lock));
});
