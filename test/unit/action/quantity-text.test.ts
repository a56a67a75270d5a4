import { expect, test } from 'vitest';
import { duration, lineCount } from '../../../src/action/quantity-text.ts';

test.each([
  [0, '0 s'],
  [0.04, '0 s'],
  [9.94, '9.9 s'],
  [9.96, '10 s'],
  [59.4, '59 s'],
  [59.6, '1 min 0 s'],
  [3_725, '62 min 5 s'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test('one line is one line', () => {
  expect([0, 1, 2].map(lineCount)).toEqual(['0 lines', '1 line', '2 lines']);
});
