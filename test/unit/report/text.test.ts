import { expect, test } from 'vitest';
import { duration, plainText } from '../../../src/report/text.ts';

test('a plain text is one line of the given length, with white space folded', () => {
  expect(plainText('  a\n\n b \u001b[31mc\u001b[0m\u202e ')).toBe('a b c');
  expect(plainText('x'.repeat(600), 10)).toBe(`${'x'.repeat(9)}…`);
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
