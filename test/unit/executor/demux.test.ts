import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { demux, STDERR, STDOUT } from '../../../src/executor/docker/engine/beyond-dockerode.ts';

type Frame = readonly [channel: number, bytes: Uint8Array];

function encode(frames: readonly Frame[]): Buffer {
  return Buffer.concat(
    frames.flatMap(([channel, bytes]) => {
      const header = Buffer.alloc(8);
      header.writeUInt8(channel, 0);
      header.writeUInt32BE(bytes.length, 4);
      return [header, Buffer.from(bytes)];
    }),
  );
}

/** `bytes` in pieces that end at `cuts`. */
async function* inPieces(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (const cut of [...cuts].map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b)) {
    yield bytes.subarray(at, Math.max(at, cut));
    at = Math.max(at, cut);
  }
  yield bytes.subarray(at);
}

const frame = fc.tuple(fc.constantFrom(STDOUT, STDERR), fc.uint8Array({ maxLength: 50 }));

describe('demux', () => {
  it('finds the same bytes in the same channels, wherever the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(frame), fc.array(fc.nat()), async (frames, cuts) => {
        const found = new Map<number, Buffer[]>([
          [STDOUT, []],
          [STDERR, []],
        ]);
        await demux(
          inPieces(encode(frames), cuts),
          (channel, piece) => void found.get(channel)?.push(Buffer.from(piece)),
        );
        for (const [channel, pieces] of found) {
          const expected = frames.filter(([of]) => of === channel).map(([, bytes]) => bytes);
          expect(Buffer.concat(pieces)).toEqual(Buffer.concat(expected));
        }
      }),
    );
  });

  it('keeps the order of the channels', async () => {
    const order: number[] = [];
    const frames: Frame[] = [1, 2, 2, 1, 2].map((channel) => [channel, Buffer.from('x')]);
    await demux(inPieces(encode(frames), []), (channel) => void order.push(channel));
    expect(order).toEqual([1, 2, 2, 1, 2]);
  });

  it('reads no further than its sink has taken', async () => {
    let produced = 0;
    async function* source() {
      for (;;) {
        produced += 1;
        yield encode([[STDOUT, Buffer.alloc(100)]]);
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

  it('ends the stream when its sink fails', async () => {
    const stream = Readable.from([encode([[STDOUT, Buffer.from('x')]]), encode([[STDOUT, Buffer.from('y')]])]);
    await expect(demux(stream, () => Promise.reject(new Error('full')))).rejects.toThrow('full');
    expect(stream.destroyed).toBe(true);
  });

  it('throws for a stream that is cut inside a frame or is no such stream', async () => {
    const whole = encode([[STDOUT, Buffer.from('hello')]]);
    for (const length of [1, 7, 8, 12]) {
      await expect(demux(inPieces(whole.subarray(0, length), []), () => undefined)).rejects.toThrow(
        'ended inside a frame',
      );
    }
    await expect(demux(inPieces(Buffer.from('hello, world'), []), () => undefined)).rejects.toThrow(
      'is not multiplexed',
    );
  });
});
