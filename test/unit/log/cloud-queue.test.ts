import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CloudLine } from '../../../src/log/cloud-batch.ts';
import { CloudQueue, LARGEST_CALL } from '../../../src/log/cloud-queue.ts';

const T = '2026-01-01T00:00:00.000Z';
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('a', '"', '\\', '\n', '\b', '\v', '\u0000', '\u001f', '\u007f', 'é', '✔', '😀', '\u2028'),
  }),
  fc.integer({ min: 0, max: 30_000 }).map((length) => 'x'.repeat(length)),
);
/** One line, as bytes can hold it. */
const oneLine = text.map((value) => `${value.toWellFormed().replaceAll('\n', '\r')}\n`);

function jsonBytes(lines: readonly CloudLine[]): number {
  return Buffer.byteLength(JSON.stringify({ offset: 0, lines }));
}

test('gives back what was put in, in order, and knows its size', () => {
  const step = fc.oneof(
    fc.record({ add: fc.array(oneLine, { maxLength: 30 }) }),
    fc.record({
      lines: fc.integer({ min: 1, max: 40 }),
      bytes: fc.integer({ min: 1, max: 100_000 }),
      drop: fc.boolean(),
    }),
    fc.record({ replace: text }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const queue = new CloudQueue();
      let model: CloudLine[] = [];
      for (const what of steps) {
        if ('add' in what) {
          for (const l of what.add) {
            queue.add({ t: T, bytes: Buffer.from(l) });
            model.push({ t: T, l });
          }
        } else if ('replace' in what) {
          const [first, ...rest] = model;
          if (first === undefined) continue;
          queue.replaceFirst({ t: T, l: what.replace });
          model = [{ t: T, l: what.replace }, ...rest];
        } else {
          const { lines, json, length } = queue.first(what, 0);
          expect(length).toBe(lines.length);
          expect(lines).toEqual(model.slice(0, lines.length));
          const size = jsonBytes(lines);
          // As JSON.stringify writes it, byte for byte.
          expect(String(json)).toBe(JSON.stringify({ offset: 0, lines }));
          expect(lines.length).toBeGreaterThanOrEqual(Math.min(1, model.length));
          expect(lines.length).toBeLessThanOrEqual(what.lines);
          if (lines.length > 1) expect(size).toBeLessThanOrEqual(what.bytes);
          if (what.drop) {
            queue.drop(lines.length);
            model = model.slice(lines.length);
          }
        }
        expect(queue.length).toBe(model.length);
      }
      queue.drop(queue.length);
      expect([queue.length, queue.bytes, queue.first(LARGEST_CALL, 0).lines]).toEqual([0, 0, []]);
    }),
    { numRuns: 300 },
  );
});

test('the largest calls are as large as they may be, and no larger', () => {
  const queue = new CloudQueue();
  for (let at = 0; at < 3_000; at++) queue.add({ t: T, bytes: Buffer.from(`${'é'.repeat(300)}\n`) });
  const { lines } = queue.first(LARGEST_CALL, 0);
  expect(jsonBytes(lines)).toBeLessThanOrEqual(LARGEST_CALL.bytes);
  expect(jsonBytes(lines)).toBeGreaterThan(LARGEST_CALL.bytes - 1_000);
});
