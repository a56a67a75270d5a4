import { execFile, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { StepFile } from '../../../src/base/log/step-file.ts';
import { quiet } from '../../support/job/driven.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const run = promisify(execFile);
const MIB = 1024 * 1024;
let folder: string;

beforeEach(async () => {
  folder = await temporaryDirectory();
});

/** Mounts a disk of this size over the folder. */
async function onDisk(size: string): Promise<void> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', folder]);
  onTestFinished(async () => void (await run('umount', [folder])));
}

function stepFile(name = 'step.log') {
  const clock = new ManualClock();
  const troubles: string[] = [];
  const path = join(folder, name);
  const file = new StepFile(path, clock, (error) => troubles.push(error.message));
  return { file, path, clock, troubles, put: (text: string) => file.write(Buffer.from(text), 0) };
}

/** Everything that can be read from `position` on. */
async function rest(file: StepFile, position = 0): Promise<string> {
  let text = '';
  while (position + Buffer.byteLength(text) < file.size)
    text += (await file.read(position + Buffer.byteLength(text), MIB)).toString();
  return text;
}

test('a step log is written in order, for its owner only, and can be read back', async () => {
  const { file, path, put } = stepFile();
  let expected = '';
  for (let at = 0; at < 2_000; at++) {
    const text = `line ${at} groesser\ntail\n`;
    expected += text;
    await put(text);
  }
  await put('no end');
  await file.end(0);
  expected += 'no end';
  expect((await readFile(path, 'utf8')) === expected).toBe(true);
  expect((await rest(file)) === expected).toBe(true);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(file.totals).toEqual({ lines: 4_001, bytes: Buffer.byteLength(expected), lost: 0 });
  expect(file.sha256).toBe(hash('sha256', expected));
  file.close();
});

test('a step log asks its writer to wait while the disk is behind, and not before', async () => {
  const { file, put } = stepFile();
  const block = `${'x'.repeat(60_000)}\n`;
  expect(put(block)).toBeUndefined();
  expect(put(block)).toBeUndefined();
  const full = put(block);
  expect(full).toBeInstanceOf(Promise);
  await full;
  await file.end(0);
  expect(file.size).toBe(3 * block.length);
});

test('a step log can be read even after its folder was emptied', async () => {
  const { file, path, put } = stepFile();
  await put('before\n');
  await quiet();
  await rm(path);
  await put('after\n');
  await file.end(0);
  expect(await rest(file)).toBe('before\nafter\n');
});

test('a step log that was cut short says so, so that its reader does not wait forever', async () => {
  const { file, path, put } = stepFile();
  await put('a line\n');
  await file.end(0);
  await truncate(path);
  await expect(file.read(0, MIB)).rejects.toThrow(
    /^Failed to read the step log .+: the file has become shorter\. /,
  );
});

test.each(['a file', 'a link', 'a dangling link', 'no folder'])(
  'a step log overwrites nothing where there is %s, and passes its lines through memory',
  async (what) => {
    const target = join(folder, 'target');
    await writeFile(target, 'mine');
    await symlink(target, join(folder, 'link'));
    await symlink(join(folder, 'nothing'), join(folder, 'dangling'));
    const names = {
      'a file': 'target',
      'a link': 'link',
      'a dangling link': 'dangling',
      'no folder': 'no/step.log',
    };
    const { file, put, troubles } = stepFile(names[what as keyof typeof names]);
    expect(troubles).toEqual([
      expect.stringMatching(/^Failed to create the step log .+ Check the disk's free space/),
    ]);
    expect(put('one\ntwo\n')).toBeUndefined();
    expect(await rest(file)).toBe('one\ntwo\n');
    file.release(4);
    expect({ size: file.size, rest: await rest(file, 4) }).toEqual({ size: 8, rest: 'two\n' });
    await expect(file.end(0)).rejects.toThrow('Failed to create');
    expect({ isWhole: file.isWhole, sha256: file.sha256, rest: await rest(file, 4) }).toEqual({
      isWhole: true,
      sha256: undefined,
      rest: 'two\n',
    });
    expect(await readFile(target, 'utf8')).toBe('mine');
  },
);

test('without a file, lines that memory can’t hold are lost, counted and marked where they are missing', async () => {
  const { file, put } = stepFile('no/step.log');
  const line = `${'x'.repeat(MIB - 1)}\n`;
  for (let at = 0; at < 4; at++) put(line);
  put('lost\nlost too\n');
  expect(file.totals).toMatchObject({ lines: 4, lost: 2 });
  file.release(MIB);
  put('there again\n');
  expect(await rest(file, 4 * MIB)).toMatch(
    /^\[agent\] 2 lines are missing here: ENOENT.*\.\nthere again\n$/,
  );
  expect(file.totals).toMatchObject({ lines: 6, lost: 2 });
});

test('a disk that is full for a while blocks nobody, and gets every line when there is room', async () => {
  await onDisk('64k');
  await writeFile(join(folder, 'full'), 'x'.repeat(48 * 1024));
  const { file, path, put, clock, troubles } = stepFile();
  let expected = '';
  for (let at = 0; at < 3_000; at++) {
    const text = `line ${at}\n`;
    expected += text;
    const wait = put(text);
    if (wait !== undefined) await wait;
  }
  await quiet();
  expect(troubles).toEqual([expect.stringContaining('ENOSPC')]);
  expect((await rest(file)) === expected).toBe(true);
  await clock.advance(1_000);
  await quiet();
  expect((await stat(path)).size).toBeLessThan(expected.length);
  await rm(join(folder, 'full'));
  await clock.advance(1_000);
  await quiet();
  expect((await readFile(path, 'utf8')) === expected).toBe(true);
  await file.end(0);
  expect(file.sha256).toBe(hash('sha256', expected));
  expect(file.totals.lost).toBe(0);
  expect(troubles).toHaveLength(1);
  file.close();
});

test('a disk that stays full makes the end of the log fail, and its lines can still be read', async () => {
  await onDisk('4k');
  const { file, put } = stepFile();
  const text = 'a line\n'.repeat(2_000);
  await put(text);
  await expect(file.end(0)).rejects.toThrow('ENOSPC');
  expect(file.sha256).toBeUndefined();
  expect((await rest(file)) === text).toBe(true);
  // The disk ends in the middle of a line.
  expect((await file.read(4_095, MIB)).length).toBe(text.length - 4_095);
  file.close();
});

test('on a full disk, a reader gets each byte once, even while the write is retried', async () => {
  await onDisk('4k');
  const { file, put, clock, troubles } = stepFile();
  let text = 'a line\n'.repeat(590);
  put(text);
  await quiet();
  expect(troubles).toHaveLength(1);
  let read = await rest(file);
  const tried = clock.advance(3_000);
  for (let turn = 0; turn < 50; turn++) {
    const line = `late ${turn} ${'x'.repeat(100)}\n`;
    text += line;
    put(line);
    read += await rest(file, read.length);
  }
  await tried;
  await quiet();
  read += await rest(file, read.length);
  expect(read).toBe(text);
  await file.end(0).catch(() => undefined);
  file.close();
});

test('a step log wakes its reader when there is more, and when it is complete', async () => {
  const { file, put } = stepFile();
  const grown = file.changed;
  put('a\n');
  await grown;
  const whole = file.changed;
  await file.end(0);
  await whole;
  expect(file.isWhole).toBe(true);
});

test('a step log knows when each line came, and for one in pieces, when the first of them came', async () => {
  const { file } = stepFile();
  for (const [time, text] of ['a\nb', 'b', 'b\nc\n', 'd'].entries()) file.write(Buffer.from(text), time);
  expect([0, 2, 6, 8].map((position) => file.timeAt(position))).toEqual([0, 0, 2, 3]);
  await file.end(4);
  expect(file.totals.lines).toBe(4);
});

test('what is written is in the file before the log ends, so a killed process loses none of it', async () => {
  const path = join(folder, 'step.log');
  const source = (name: string) => JSON.stringify(new URL(`../../../src/${name}`, import.meta.url).href);
  const script = `
    import { systemClock as clock } from ${source('base/clock.ts')};
    import { StepFile } from ${source('base/log/step-file.ts')};
    const file = new StepFile(process.argv[1], clock, console.error);
    for (let at = 0; at < 1_000; at++) file.write(Buffer.from('line ' + at + '\\n'), 0);
    setInterval(() => {}, 1_000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, path], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  const written = async () => (await readFile(path, 'utf8').catch(() => '')).split('\n').length - 1;
  try {
    await expect.poll(written, { timeout: 20_000 }).toBe(1_000);
  } finally {
    child.kill('SIGKILL');
  }
  await exited;
  expect(await written()).toBe(1_000);
});

test('a step log hands out a whole line even when its second half reaches the disk while the first is read', async () => {
  const { file, put } = stepFile();
  let begun = 0;
  for (let at = 0; at < 50; at++) {
    await put('begun, ');
    await quiet();
    const half = file.read(begun, 1_000);
    expect((await half).toString()).toBe('begun, ');
    const write = put('ended\n');
    const read = file.read(begun, 1_000);
    await write;
    expect((await read).toString()).toBe('begun, ended\n');
    begun = file.size;
  }
  await file.end(0);
  file.close();
});
