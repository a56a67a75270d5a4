import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineSplitter, LONGEST_LINE } from '../../../src/log/lines.ts';

interface Part {
  readonly text: string;
  readonly partial: boolean;
}

function split(pieces: readonly string[]): Part[] {
  const splitter = new LineSplitter();
  const parts: Part[] = [];
  const take = (bytes: Buffer, count: number, partial: boolean) => {
    const texts = String(bytes).split(/(?<=\n)/);
    expect(texts.length).toBe(count);
    for (const text of texts) parts.push({ text, partial });
  };
  for (const piece of pieces) splitter.push(Buffer.from(piece), take);
  splitter.end(take);
  return parts;
}

function whole(text: string): Part {
  return { text, partial: false };
}

/** What must come out: each line with its `\n`, the last one perhaps without. */
function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== '');
}

const MAX = LONGEST_LINE;

test('any pieces give the lines of the whole', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '😀', '\u2028', '') });
  fc.assert(
    fc.property(fc.array(text), (pieces) => {
      expect(split(pieces)).toEqual(linesOf(pieces.join('')).map(whole));
    }),
    { numRuns: 1_000 },
  );
});

describe('a long line', () => {
  const line = (length: number) => 'x'.repeat(length);

  test.each([
    ['of exactly the limit', `${line(MAX)}\n`, [whole(`${line(MAX)}\n`)]],
    ['of one more', `${line(MAX + 1)}\n`, [{ text: line(MAX), partial: true }, whole('x\n')]],
    ['without an end', line(MAX * 2), [{ text: line(MAX), partial: true }, whole(line(MAX))]],
    [
      'between others',
      `a\n${line(2 * MAX + 3)}\nb`,
      [
        whole('a\n'),
        { text: line(MAX), partial: true },
        { text: line(MAX), partial: true },
        whole('xxx\n'),
        whole('b'),
      ],
    ],
    ['with a character at the limit', `${line(MAX - 3)}😀\n`, [{ text: line(MAX - 3), partial: true }, whole('😀\n')]],
  ])('%s', (_, text, expected) => {
    expect(split([text])).toEqual(expected);
    expect(split([text.slice(0, 40_000), text.slice(40_000)])).toEqual(expected);
  });

  test('has the same parts however it comes', () => {
    const long = fc
      .array(fc.tuple(fc.constantFrom('x', '😀', 'x\n', 'é'), fc.integer({ min: 1, max: 50_000 })), { maxLength: 8 })
      .map((runs) => runs.map(([unit, count]) => unit.repeat(count)).join(''));
    fc.assert(
      fc.property(long, fc.integer({ min: 7, max: 100_000 }), (text, size) => {
        const pieces: string[] = [];
        for (let at = 0; at < text.length; ) {
          const end = at + size;
          // No piece tears a character.
          const to = text.slice(end - 1, end + 1).match(/^[\ud800-\udbff][\udc00-\udfff]$/) ? end + 1 : end;
          pieces.push(text.slice(at, to));
          at = to;
        }
        const parts = split(pieces);
        expect(parts.map((part) => part.text).join('') === text).toBe(true);
        expect(JSON.stringify(parts) === JSON.stringify(split([text]))).toBe(true);
        const bad = parts.filter(
          (part) =>
            Buffer.byteLength(part.text) > MAX + 1 ||
            part.text.includes('\ufffd') ||
            (part.partial && part.text.endsWith('\n')),
        );
        expect(bad).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('that never ends does not stay in memory', () => {
    const splitter = new LineSplitter();
    let longest = 0;
    let total = 0;
    for (let round = 0; round < 1_000; round++) {
      splitter.push(Buffer.from(line(100_000)), (bytes) => {
        longest = Math.max(longest, bytes.length);
        total += bytes.length;
      });
    }
    expect(longest).toBe(MAX);
    expect(100_000_000 - total).toBeLessThanOrEqual(MAX);
  });
});
