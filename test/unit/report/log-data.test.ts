import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { json, logData } from '../../../src/report/log-data.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const SHOWN = 'steps/01-x.log';

type Part = { first: number | null; lines: string[] } | { gap: string };

async function dataOf(
  text: string,
  maxBytes: number,
  lines?: number,
  maxLines = 1_000_000,
): Promise<{ raw: string; parts: Part[] }> {
  const path = join(await temporaryDirectory(), 'x.log');
  await writeFile(path, text);
  let raw = '';
  for await (const piece of logData({ path, shownPath: SHOWN, lines, maxBytes, maxLines })) raw += piece;
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
    for await (const piece of logData({
      path: '/nowhere/x.log',
      shownPath: SHOWN,
      lines: 0,
      maxBytes: 10,
      maxLines: 10,
    }))
      raw += piece;
    expect(JSON.parse(raw)).toEqual([{ first: 1, lines: [] }]);
  });

  test('holds the two ends of a large one, the last lines with their numbers', async () => {
    const text = Array.from({ length: 1_000 }, (_, n) => `line ${String(n + 1).padStart(4, '0')}\n`).join('');
    const { parts } = await dataOf(text, 100, 1_000);
    expect(parts).toEqual([
      { first: 1, lines: ['line 0001', 'line 0002', 'line 0003', 'line 0004', 'line 0005'] },
      { gap: '9.7 KiB in the middle are left out here: see steps/01-x.log' },
      { first: 996, lines: ['line 0996', 'line 0997', 'line 0998', 'line 0999', 'line 1000'] },
    ]);
    expect((await dataOf(text, 100)).parts[2]).toMatchObject({ first: null });
    // A count that can't be right numbers nothing.
    expect((await dataOf(text, 100, 5)).parts[2]).toMatchObject({ first: null });
  });

  test('holds so many lines only, from both ends', async () => {
    const text = Array.from({ length: 20 }, (_, n) => `${n + 1}\n`).join('');
    expect((await dataOf(text, 10_000, 20, 6)).parts).toEqual([
      { first: 1, lines: ['1', '2', '3'] },
      { gap: '36 B in the middle are left out here: see steps/01-x.log' },
      { first: 18, lines: ['18', '19', '20'] },
    ]);
    expect((await dataOf(text, 10_000, 20, 20)).parts).toEqual([
      { first: 1, lines: Array.from({ length: 10 }, (_, n) => `${n + 1}`) },
      { first: 11, lines: Array.from({ length: 10 }, (_, n) => `${n + 11}`) },
    ]);
    expect((await dataOf(`${text}unended`, 10_000, 21, 2)).parts.at(-1)).toEqual({ first: 21, lines: ['unended'] });
  });

  test('holds the very lines of the file, with their numbers, wherever it is cut', async () => {
    const file = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '漢'), maxLength: 5 }), { maxLength: 30 });
    const limits = [fc.integer({ min: 2, max: 80 }), fc.integer({ min: 2, max: 20 })] as const;
    await fc.assert(
      fc.asyncProperty(file, fc.boolean(), ...limits, async (texts, ended, maxBytes, maxLines) => {
        const text = `${texts.join('\n')}${ended ? '\n' : ''}`;
        const lines = text === '' ? [] : (ended ? text.slice(0, -1) : text).split('\n');
        if (!ended && lines.at(-1) === '') lines.pop();
        const { parts } = await dataOf(text, maxBytes, lines.length, maxLines);
        const isCut = parts.some((part) => 'gap' in part);
        let held = 0;
        for (const [at, part] of parts.entries()) {
          if ('gap' in part) continue;
          held += part.lines.length;
          // Where bytes are the limit, the lines beside a cut may be cut as well.
          const sure = parts.length > 1 ? part.lines.slice(at === 0 ? 0 : 1, at === 0 ? -1 : undefined) : part.lines;
          const from = part.first === null ? lines.length - part.lines.length : part.first - 1;
          expect(sure).toEqual(
            lines.slice(
              from + (at === 0 ? 0 : part.lines.length - sure.length),
              from + (at === 0 ? sure.length : part.lines.length),
            ),
          );
        }
        if (!isCut) expect(held).toBe(lines.length);
        else expect(held).toBeLessThanOrEqual(maxLines);
      }),
      { numRuns: 400 },
    );
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
