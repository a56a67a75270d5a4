import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonLines } from '../../../src/executor/docker/engine/beyond-dockerode.ts';

async function collect(chunks: readonly (Buffer | string)[]): Promise<unknown[]> {
  async function* stream() {
    yield* chunks;
  }
  const values: unknown[] = [];
  for await (const value of jsonLines(stream())) values.push(value);
  return values;
}

describe('jsonLines', () => {
  it('finds the same values wherever the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('\n', '\r\n', '\n\n'),
        async (values, size, end) => {
          const bytes = Buffer.from(values.map((value) => JSON.stringify(value) + end).join(''));
          const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
            bytes.subarray(i * size, (i + 1) * size),
          );
          expect(await collect(chunks)).toEqual(JSON.parse(JSON.stringify(values)));
        },
      ),
    );
  });

  it('takes a last line without its end', async () => {
    expect(await collect(['{"a":1}\n{"b"', ':2}'])).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('throws for what is no JSON, and for a line without end', async () => {
    await expect(collect(['<html>\n'])).rejects.toThrow(SyntaxError);
    await expect(collect(Array.from({ length: 20 }, () => 'x'.repeat(100_000)))).rejects.toThrow('longer than');
  });
});
