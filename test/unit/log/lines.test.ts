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
  const take = (text: string, partial: boolean) => void parts.push({ text, partial });
  for (const piece of pieces) splitter.push(piece, take);
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
    ['with a pair at the limit', `${line(MAX - 1)}😀\n`, [{ text: line(MAX - 1), partial: true }, whole('😀\n')]],
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
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
          text.slice(at * size, (at + 1) * size),
        );
        const parts = split(pieces);
        expect(parts.map((part) => part.text).join('') === text).toBe(true);
        expect(JSON.stringify(parts) === JSON.stringify(split([text]))).toBe(true);
        const bad = parts.filter(
          (part) =>
            part.text.length > MAX + 1 || !part.text.isWellFormed() || (part.partial && part.text.endsWith('\n')),
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
      splitter.push(line(100_000), (text) => {
        longest = Math.max(longest, text.length);
        total += text.length;
      });
    }
    expect(longest).toBe(MAX);
    expect(100_000_000 - total).toBeLessThanOrEqual(MAX);
  });
});
