import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { json, logData } from '../../../src/action/page/log-data.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const SHOWN = 'steps/01-x.log';

type Part = { first: number | null; lines: string[] } | { gap: string };

async function dataOf(text: string, maxBytes: number, lines?: number): Promise<{ raw: string; parts: Part[] }> {
  const path = join(await temporaryDirectory(), 'x.log');
  await writeFile(path, text);
  let raw = '';
  for await (const piece of logData({ path, shownPath: SHOWN, lines, maxBytes })) raw += piece;
  return { raw, parts: JSON.parse(raw) };
}

describe('logData', () => {
  test('holds a small log whole, an unended last line included', async () => {
    const { parts } = await dataOf('one\n\u001b[31mtwo\u001b[0m\r\n\nfour', 1_000);
    expect(parts).toEqual([{ first: 1, lines: ['one', 'two', '', 'four'] }]);
    expect((await dataOf('', 1_000)).parts).toEqual([{ first: 1, lines: [] }]);
  });

  test('is empty for a step without a file', async () => {
    let raw = '';
    for await (const piece of logData({ path: '/nowhere/x.log', shownPath: SHOWN, lines: 0, maxBytes: 10 }))
      raw += piece;
    expect(JSON.parse(raw)).toEqual([{ first: 1, lines: [] }]);
  });

  test('holds the two ends of a large one, the last lines with their numbers', async () => {
    const text = Array.from({ length: 1_000 }, (_, n) => `line ${String(n + 1).padStart(4, '0')}\n`).join('');
    const { parts } = await dataOf(text, 100, 1_000);
    expect(parts).toEqual([
      { first: 1, lines: ['line 0001', 'line 0002', 'line 0003', 'line 0004', 'line 0005'] },
      { gap: '9.7 KiB in the middle are left out here: see steps/01-x.log' },
      { first: 997, lines: ['line 0997', 'line 0998', 'line 0999', 'line 1000'] },
    ]);
    expect((await dataOf(text, 100)).parts[2]).toMatchObject({ first: null });
    // A count that can't be right numbers nothing.
    expect((await dataOf(text, 100, 5)).parts[2]).toMatchObject({ first: null });
  });

  test('cuts a long line and says where the rest of it is', async () => {
    const { parts } = await dataOf(`${'z'.repeat(20_000)}\nnext\n`, 100_000);
    expect(parts).toEqual([{ first: 1, lines: [`${'z'.repeat(8_192)} … (11808 more bytes: see ${SHOWN})`, 'next'] }]);
  });

  test('can not end the element that it stands in, and loses no line', async () => {
    const piece = fc.oneof(
      fc.constantFrom('</script>', '<!--', '-->', '<script', ']]>', '&lt;', '\\', '"', '\u2028', '\r', '\n', '\u202e'),
      fc.string({ unit: 'binary', maxLength: 6 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 20 }),
        fc.integer({ min: 1, max: 200 }),
        async (pieces, maxBytes) => {
          const text = pieces.join('');
          const whole = await dataOf(text, 10_000);
          expect(whole.raw).not.toMatch(/[<>&\u2028\u2029]/);
          const lines = Buffer.from(text).toString().split('\n');
          expect(whole.parts).toHaveLength(1);
          expect(whole.parts[0]).toMatchObject({
            first: 1,
            lines: { length: lines.at(-1) === '' ? lines.length - 1 : lines.length },
          });
          expect((await dataOf(text, maxBytes)).raw).not.toMatch(/[<>&\u2028\u2029]/);
        },
      ),
      { numRuns: 200 },
    );
  });
});

test('json can be read back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(JSON.parse(json(text))).toBe(text);
    }),
  );
});
