import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { demux, jsonLines, STDERR, STDOUT } from '../../../../src/executor/docker/engine/streams.ts';
import { frame } from '../../../support/docker/frame.ts';

function inPieces(bytes: Buffer, size: number): Readable {
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
  return Readable.from(pieces);
}

const sizes = fc.integer({ min: 1, max: 12 });

describe('a multiplexed stream', () => {
  it('has the same bytes in the same order, wherever it is cut', async () => {
    const content = fc.tuple(fc.constantFrom(STDOUT, STDERR), fc.uint8Array({ maxLength: 50 }));
    await fc.assert(
      fc.asyncProperty(fc.array(content), sizes, async (frames, size) => {
        const found: string[] = [];
        await demux(inPieces(Buffer.concat(frames.map((each) => frame(...each))), size), (channel, piece) => {
          for (const byte of piece) found.push(`${channel} ${byte}`);
        });
        expect(found).toEqual(
          frames.flatMap(([channel, bytes]) => [...bytes].map((byte) => `${channel} ${byte}`)),
        );
      }),
    );
  });

  it('is read no further than its sink has taken, and ends when the sink fails', async () => {
    let produced = 0;
    async function* source() {
      for (;;) {
        produced += 1;
        yield frame(STDOUT, Buffer.alloc(100));
      }
    }
    const gate = Promise.withResolvers<void>();
    let taken = 0;
    const reading = demux(source(), () => {
      taken += 1;
      if (taken === 3) return gate.promise;
      if (taken === 4) throw new Error('enough');
      return undefined;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(produced).toBe(3);
    gate.resolve();
    await expect(reading).rejects.toThrow('enough');
    expect(produced).toBe(4);
  });

  it('throws if it is cut inside a frame or is not multiplexed', async () => {
    const whole = frame(STDOUT, 'hello');
    for (const length of [1, 7, 8, 12])
      await expect(demux(inPieces(whole.subarray(0, length), 99), () => undefined)).rejects.toThrow(
        'inside a frame',
      );
    await expect(demux(inPieces(Buffer.from('hello, world'), 99), () => undefined)).rejects.toThrow(
      'not multiplexed',
    );
  });
});

describe('JSON lines', () => {
  const collect = async (chunks: Readable) => {
    const values: unknown[] = [];
    for await (const value of jsonLines(chunks)) values.push(value);
    return values;
  };

  it('have the same values wherever the bytes are cut, even without a final line end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ stringUnit: 'grapheme' })),
        sizes,
        fc.constantFrom('\n', '\r\n'),
        async (values, size, end) => {
          const bytes = Buffer.from(values.map((value) => JSON.stringify(value)).join(end));
          expect(await collect(inPieces(bytes, size))).toEqual(JSON.parse(JSON.stringify(values)));
        },
      ),
    );
  });

  it('throw if they are not JSON, or if a line never ends', async () => {
    await expect(collect(Readable.from(['<html>\n']))).rejects.toThrow(SyntaxError);
    const long = Array.from({ length: 20 }, () => 'x'.repeat(100_000));
    await expect(collect(Readable.from(long))).rejects.toThrow('longer than');
  });
});
