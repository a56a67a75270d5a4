import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { writerOf } from '../../../src/action/stdout.ts';

test('a writer waits for a slow reader, and no longer when the job is cancelled or the reader is gone', async () => {
  const stream = new PassThrough({ highWaterMark: 4 });
  const cancel = new AbortController();
  const write = writerOf(stream, cancel.signal);
  await write('abc');
  let done = false;
  const waiting = write('defgh').then(() => {
    done = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toBe(false);
  stream.resume();
  await waiting;
  stream.pause();
  const stuck = write('x'.repeat(100));
  cancel.abort();
  await stuck;
  await write('after'); // nobody waits any more
  expect(stream.listenerCount('drain')).toBe(0);

  const broken = new PassThrough({ highWaterMark: 1 });
  const unread = writerOf(broken, new AbortController().signal);
  const lost = unread('xyz');
  broken.destroy();
  await lost;
  await unread('more');
});
