import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LogSource, logData } from '../../../../src/record/report/log-data.ts';
import { runs } from '../../../support/property-runs.ts';
import { temporaryDirectory } from '../../../support/run/temporary-directory.ts';

const SHOWN = 'steps/01-x.log';

async function dataOf(text: string, over: Partial<LogSource> = {}): Promise<string> {
  const path = join(await temporaryDirectory(), 'x.log');
  await writeFile(path, text);
  return await logData({ path, shownPath: SHOWN, maxBytes: 10_000, ...over });
}
const partsOf = async (text: string, over?: Partial<LogSource>) => JSON.parse(await dataOf(text, over));

test('a small log is complete, including an unterminated last line', async () => {
  const parts = await partsOf('one\n\u001b[31mtwo\u001b[0m\r\n\nfour');
  expect(parts).toEqual([{ first: 1, lines: ['one', [['two', 'c1']], '', 'four'] }]);
  expect(await partsOf('')).toEqual([{ first: 1, lines: [] }]);
  expect(await partsOf('', { path: '/nowhere/x.log' })).toEqual([{ first: 1, lines: [] }]);
});

test('a large log keeps its two ends, with the numbers of the last lines', async () => {
  const text = Array.from({ length: 1_000 }, (_, n) => `line ${String(n + 1).padStart(4, '0')}\n`).join('');
  expect(await partsOf(text, { maxBytes: 104, lines: 1_000 })).toEqual([
    { first: 1, lines: ['line 0001', 'line 0002', 'line 0003', 'line 0004', 'line 0005'] },
    { gap: '9.7 KiB in the middle are omitted here: see steps/01-x.log' },
    { first: 996, lines: ['line 0996', 'line 0997', 'line 0998', 'line 0999', 'line 1000'] },
  ]);
  // With an unknown or impossible count, the last lines get no numbers.
  for (const lines of [undefined, 5])
    expect((await partsOf(text, { maxBytes: 100, lines }))[2]).toMatchObject({ first: null });
});

test('a long line is cut, and says where the rest of it is', async () => {
  const line = `${'z'.repeat(8_192)} … (1808 more bytes: see ${SHOWN})`;
  expect(await partsOf(`${'z'.repeat(10_000)}\nnext\n`, { maxBytes: 100_000 })).toEqual([
    { first: 1, lines: [line, 'next'] },
  ]);
});

test('a cut keeps the colours before it', async () => {
  const line = `plain \u001b[31m${'z'.repeat(9_000)}\u001b[1mbold\n`;
  expect(await partsOf(line, { maxBytes: 100_000 })).toEqual([
    { first: 1, lines: [['plain ', ['z'.repeat(8_186), 'c1'], ` … (818 more bytes: see ${SHOWN})`]] },
  ]);
});

test('a cut is made where a reader sees it, and shows nothing of an escape sequence', async () => {
  const hidden = `hun\u001b_ter22${'x'.repeat(9_000)}\u0007ter`;
  expect(await partsOf(`${hidden}${'z'.repeat(8_190)}\n`, { maxBytes: 100_000 })).toEqual([
    { first: 1, lines: [`hunter${'z'.repeat(8_186)} … (4 more bytes: see ${SHOWN})`] },
  ]);
  expect(await partsOf(hidden, { maxBytes: 2_000 })).toMatchObject([{ lines: ['hun'] }, {}, { lines: [] }]);
});

test('no bytes can end the element that contains them, and a whole log loses no line', async () => {
  const words = [
    '</script>',
    '<!--',
    '-->',
    '<script',
    ']]>',
    '&lt;',
    '\\',
    '"',
    '\u2028',
    '\r',
    '\n',
    '\u202e',
  ];
  const piece = fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary', maxLength: 6 }));
  const limits = fc.integer({ min: 2, max: 200 });
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 20 }), limits, async (pieces, maxBytes) => {
      const text = pieces.join('');
      for (const raw of [await dataOf(text), await dataOf(text, { maxBytes })])
        expect(raw).not.toMatch(/[<>&\u2028\u2029]/);
      const lines = Buffer.from(text).toString().split('\n');
      const count = lines.at(-1) === '' ? lines.length - 1 : lines.length;
      expect(await partsOf(text)).toMatchObject([{ first: 1, lines: { length: count } }]);
    }),
    { numRuns: runs(200) },
  );
});
