import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { unfitProgram } from '../../../../src/agent/hooks/trusted-program.ts';
import { temporaryDirectory } from '../../../support/run/temporary-directory.ts';

const me = process.getuid?.() ?? 0;
let folder: string;
beforeEach(async () => {
  folder = await temporaryDirectory();
});

function program(name = 'hook', mode = 0o755): string {
  const file = join(folder, name);
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, mode);
  return file;
}

it('a program of one’s own in folders of one’s own is fit, also below a sticky one', () => {
  expect(unfitProgram(program(), me)).toBeUndefined();
});

it('a link is fit where what it leads through is, as in a mounted ConfigMap', () => {
  mkdirSync(join(folder, '..2026'));
  program('..2026/hook');
  symlinkSync('..2026', join(folder, '..data'));
  symlinkSync('..data/hook', join(folder, 'hook'));
  expect(unfitProgram(join(folder, 'hook'), me)).toBeUndefined();
  chmodSync(join(folder, '..2026'), 0o777);
  expect(unfitProgram(join(folder, 'hook'), me)).toMatch(/\/\.\.2026 can be written by others \(mode 777\)$/);
});

describe('a way of several links', () => {
  /** `hook` leads to `open/next`, and that to `last/hook`, whose folder is one's own. */
  function chain(): void {
    for (const name of ['open', 'last']) mkdirSync(join(folder, name));
    program('last/hook');
    symlinkSync('open/../open/next', join(folder, 'hook'));
    symlinkSync(join(folder, 'last/hook'), join(folder, 'open/next'));
  }

  it('is unfit where others can replace a link between the first and the last', () => {
    chain();
    expect(unfitProgram(join(folder, 'hook'), me)).toBeUndefined();
    chmodSync(join(folder, 'open'), 0o777);
    expect(unfitProgram(join(folder, 'hook'), me)).toMatch(/\/open can be written by others \(mode 777\)$/);
  });

  it('is unfit where another user owns one of the links', () => {
    chain();
    if (me === 0) lchownSync(join(folder, 'open/next'), 4321, 4321);
    expect(unfitProgram(join(folder, 'hook'), me === 0 ? 0 : me + 1)).toMatch(/ belongs to the user \d+$/);
  });

  it('is unfit where a folder that they lead through is a link into one of others', () => {
    chain();
    chmodSync(join(folder, 'open'), 0o777);
    program('open/elsewhere');
    symlinkSync(join(folder, 'open'), join(folder, 'near'));
    symlinkSync('near/../last/hook', join(folder, 'second'));
    expect(unfitProgram(join(folder, 'second'), me)).toMatch(/\/open can be written by others/);
  });

  it('is unfit without an end', () => {
    symlinkSync('loop', join(folder, 'loop'));
    expect(unfitProgram(join(folder, 'loop'), me)).toMatch(/can't be checked: .*too many links/);
  });
});

it.each([
  ['is missing', () => join(folder, 'none'), / does not exist$/],
  ['is a folder', () => folder, / is not a file$/],
  ['is not executable', () => program('hook', 0o600), / can't be run by this user$/],
  ['can be written by others', () => program('hook', 0o777), /hook can be written by others \(mode 777\)$/],
  [
    'lies in a folder of others',
    () => {
      chmodSync(folder, 0o775);
      return program();
    },
    / can be written by others \(mode 775\)$/,
  ],
])('one that %s is unfit', (_, make, clause) => {
  expect(unfitProgram(make(), me)).toMatch(clause);
});

it('one that another user owns is unfit', () => {
  const file = program();
  // Only root can give a file away; anyone else asks as another user.
  if (me === 0) chownSync(file, 4321, 4321);
  expect(unfitProgram(file, me === 0 ? 0 : me + 1)).toMatch(/ belongs to the user \d+$/);
});
