import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { Engine } from '../../../../src/executor/docker/engine/engine.ts';

it('closes a stream that an engine opens too late: nobody would hear of its errors', async () => {
  const opened = Promise.withResolvers<PassThrough>();
  const call = new Engine({}).call(() => opened.promise, { signal: new AbortController().signal, ms: 1 });
  await expect(call).rejects.toThrow('Failed to reach the Docker engine');
  const stream = new PassThrough();
  opened.resolve(stream);
  await vi.waitFor(() => expect(stream.destroyed).toBe(true));
});
