import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WholeLines } from '../../../src/agent/logging/whole-lines.ts';
import { folder } from './claimed-run.ts';

const FILLER = Buffer.alloc(4096, '.');

/** A pipe that does not block and is full to its last byte. */
async function fullPipe(): Promise<{ fifo: string; target: number }> {
  const fifo = join(await folder(), 'pipe');
  execFileSync('mkfifo', [fifo]);
  const target = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(target));
  for (let piece = FILLER; piece.length > 0; ) {
    try {
      writeSync(target, piece);
    } catch {
      piece = piece.subarray(0, piece.length >> 1);
    }
  }
  return { fifo, target };
}

/** Reads all that there is, after a while: what was written while nobody read. */
async function readLater(fifo: string, seconds: number): Promise<() => Promise<string>> {
  const file = `${fifo}.read`;
  const reader = spawn('sh', ['-c', `sleep ${seconds}; exec timeout 4 cat "$1" > "$2"`, 'sh', fifo, file]);
  const ended = once(reader, 'close');
  return async () => {
    await ended;
    return readFileSync(file, 'utf8').replace(/^\.+/, '');
  };
}

test('a line waits for a reader who takes his time, though the pipe does not block', async () => {
  const { fifo, target } = await fullPipe();
  const read = await readLater(fifo, 0.5);
  const lines = new WholeLines(target, () => expect.unreachable('none is lost'));
  const long = `${'long '.repeat(40_000)}\n`;
  lines.write('first\n');
  lines.write(long);
  lines.write('last\n');
  expect(await read()).toBe(`first\n${long}last\n`);
});

test('where nobody reads, one line waits and the others are counted', { timeout: 90_000 }, async () => {
  const { fifo, target } = await fullPipe();
  const lines = new WholeLines(target, (count) => `${count} lost\n`);
  const began = performance.now();
  lines.write('first\n');
  const waited = performance.now() - began;
  expect(waited).toBeGreaterThanOrEqual(10_000);
  for (let line = 0; line < 50; line += 1) lines.write('lost\n');
  // None of them waited as the first did.
  expect(performance.now() - began).toBeLessThan(2 * waited);
  execFileSync('dd', [`if=${fifo}`, 'of=/dev/null', `bs=${FILLER.length}`, 'count=4', 'status=none']);
  const read = await readLater(fifo, 0);
  lines.write('again\n');
  expect(await read()).toBe('first\n50 lost\nagain\n');
});

test('what can take nothing at all is left alone', () => {
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const lines = new WholeLines(full, () => expect.unreachable('a full disk is not waited for'));
  lines.write('one\n');
  lines.write('two\n');
});
