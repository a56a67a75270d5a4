import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { expect, it } from 'vitest';
import { readEntry } from '../../../../src/executor/docker/container/files.ts';

it('an empty or truncated archive is an error, never half a file', async () => {
  const empty = pack();
  empty.finalize();
  await expect(readEntry(Readable.from(empty), '/f')).rejects.toThrow('the archive is empty');
  const whole = pack();
  whole.entry({ name: 'f' }, 'x'.repeat(5000));
  whole.finalize();
  const bytes = await buffer(whole);
  await expect(readEntry(Readable.from([bytes.subarray(0, 3000)]), '/f')).rejects.toThrow();
  expect(await readEntry(Readable.from([bytes]), '/f')).toHaveLength(5000);
});
