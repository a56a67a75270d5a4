import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outputLine, plainLine, plainText } from '../../../../src/base/log/plain-text.ts';
import { duration } from '../../../../src/base/quantity.ts';
import { lineWithSequences } from '../../../support/log/invisible.ts';
import { runs } from '../../../support/property-runs.ts';

test('a plain text is one line of the given length, with white space folded', () => {
  expect(plainText('  a\n\n b \u001b[31mc\u001b[0m\u202e ')).toBe('a b c');
  expect(plainText('x'.repeat(600), 10)).toBe(`${'x'.repeat(9)}…`);
});

test('no line break makes a sequence of two lines, which would take out what redaction has read', () => {
  expect(plainLine('hun\u001b]a\rb\u0007ter22\r\r')).toBe('hun]a␍bter22');
  expect(plainLine('hun\u001b]a\u202eb\u0007ter22 \u2028\u2066x', { colours: true })).toBe('hun]abter22 ␤x');
  expect(outputLine('a\u001b]x\rb\u0007\rc\rd\r')).toBe('a]x␍ … 2 states … ␍d');
  expect(plainText('hun\u001b]\nx\u0007ter22\r\n\u00a0 y')).toBe('hun] xter22 y');
});

test('a text is cut where a reader sees it, never inside an escape sequence', () => {
  fc.assert(
    fc.property(lineWithSequences, fc.integer({ min: 1, max: 12 }), (line, most) => {
      expect(plainText(line)).toContain(plainText(line, most).replace(/…$/, ''));
    }),
    { numRuns: runs(500) },
  );
  expect(plainText(`hun\u001b_ter22${'x'.repeat(90)}\u0007`, 10)).toBe('hun');
});

test.each([
  [0, '0 s'],
  [9.94, '9.9 s'],
  [9.96, '10 s'],
  [59.6, '1 min 0 s'],
  [3_725, '62 min 5 s'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test('plainLine takes linear time for any run of carriage returns', () => {
  const text = `${'\r'.repeat(300_000)}x${'\r'.repeat(300_000)}`;
  // Where each of them is tried as the start of the line's end, half a minute on an idle machine: vm ends it before.
  const line: unknown = runInNewContext('plainLine(text)', { plainLine, text }, { timeout: 10_000 });
  expect(line).toBe(`${'␍'.repeat(300_000)}x`);
});
