import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { flush } from '../../../src/base/flush.ts';

test('flush returns when everything is written, or at its deadline', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  stream.write('x'.repeat(50));
  stream.write('y');
  const began = performance.now();
  await flush(stream, AbortSignal.timeout(100));
  expect(performance.now() - began).toBeGreaterThan(90);
  stream.resume();
  await flush(stream, AbortSignal.timeout(60_000));
});

test('flush neither waits for a reader that is gone nor writes when nothing is pending', async () => {
  const broken = new PassThrough({ highWaterMark: 1 });
  broken.write('xyz');
  const waiting = flush(broken, AbortSignal.timeout(60_000));
  broken.destroy(new Error('gone'));
  await waiting;
  await flush(broken, AbortSignal.timeout(60_000));
  const idle = new PassThrough();
  idle.write = () => expect.unreachable('nothing waits');
  await flush(idle, AbortSignal.timeout(60_000));
});

test('flush handles the error of a stream whose reader leaves meanwhile', async () => {
  const broken = new Writable({
    write: (_chunk, _encoding, done) => void setImmediate(done, new Error('gone')),
  });
  broken.write('xyz');
  const heard: number[] = [];
  const emit = broken.emit.bind(broken);
  broken.emit = (name: string, ...values: unknown[]) => {
    if (name === 'error') heard.push(broken.listenerCount('error'));
    return emit(name, ...values);
  };
  await flush(broken, AbortSignal.timeout(60_000));
  expect(heard).toEqual([1]);
});
