import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStepFile, StepFile, StepFileError } from '../../../src/log/step-file.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'step-file-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function lines(...texts: string[]) {
  return texts.map((text) => ({ t: '2026-01-01T00:00:00.000Z', bytes: Buffer.from(text) }));
}

test('writes all lines in order, for its owner only', async () => {
  const path = join(folder, 'step.log');
  const file = openStepFile(path);
  let expected = '';
  for (let at = 0; at < 2_000; at++) {
    const text = `line ${at} größer 😀\n`;
    expected += `${text}tail\n`;
    await file.write(lines(text, 'tail\n'));
  }
  await file.write([]);
  await file.write(lines('', 'no end'));
  await file.end();
  expect((await readFile(path, 'utf8')) === `${expected}no end`).toBe(true);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('asks for patience while the disk is behind, and not before', async () => {
  const path = join(folder, 'pipe');
  await promisify(execFile)('mkfifo', [path]);
  const reader = await open(path, 'r+');
  const file = new StepFile(openSync(path, 'a'), path);
  const block = 'x'.repeat(50_000);
  // A pipe holds 64 KiB: the second write hangs in the kernel, what comes then waits in memory.
  expect(file.write(lines(block, block))).toBeUndefined();
  expect(file.write(lines(block))).toBeUndefined();
  const full = file.write(lines(block));
  expect(full).toBeInstanceOf(Promise);
  let drained = false;
  const emptied = Promise.resolve(full).then(() => {
    drained = true;
  });
  const got: Buffer[] = [];
  for (let size = 0; size < 200_000; ) {
    expect(drained && size < 100_000).toBe(false);
    const { bytesRead, buffer } = await reader.read(Buffer.alloc(30_000));
    got.push(buffer.subarray(0, bytesRead));
    size += bytesRead;
  }
  await emptied;
  await file.end();
  await reader.close();
  expect(Buffer.concat(got).toString() === block.repeat(4)).toBe(true);
});

test('a full disk is an error for the writer, and nothing else', async () => {
  const file = new StepFile(openSync('/dev/full', 'a'), 'logs/step.log');
  expect(file.write(lines('lost\n'))).toBeUndefined();
  const error = await file.end().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StepFileError);
  expect(error).toHaveProperty(
    'message',
    expect.stringMatching(/^Failed to write the step log logs\/step\.log: ENOSPC: /),
  );
  expect(error).toHaveProperty('cause.code', 'ENOSPC');
  expect(() => file.write(lines('more\n'))).toThrow(StepFileError);
});

test('whoever waits for room learns of a full disk', async () => {
  const file = new StepFile(openSync('/dev/full', 'a'), 'step.log');
  file.write(lines('x'));
  await expect(file.write(lines('x'.repeat(100_000)))).rejects.toThrow(StepFileError);
  await expect(file.end()).rejects.toThrow('ENOSPC');
});

test('takes no file that is there, and follows no link', async () => {
  const target = join(folder, 'target');
  await writeFile(target, 'mine');
  await symlink(target, join(folder, 'link'));
  await symlink(join(folder, 'nothing'), join(folder, 'dangling'));
  for (const name of ['target', 'link', 'dangling', 'missing/step.log']) {
    expect(() => openStepFile(join(folder, name))).toThrow(StepFileError);
  }
  expect(await readFile(target, 'utf8')).toBe('mine');
});

test('what is written is in the file without an end, so that a killed process loses none of it', async () => {
  const path = join(folder, 'step.log');
  const script = `
    import { openStepFile } from ${JSON.stringify(new URL('../../../src/log/step-file.ts', import.meta.url).href)};
    const file = openStepFile(process.argv[1]);
    for (let at = 0; at < 1_000; at++) file.write([{ t: '', bytes: Buffer.from('line ' + at + '\\n') }]);
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
