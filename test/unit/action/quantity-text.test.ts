import { expect, test } from 'vitest';
import { byteCount, duration, lineCount } from '../../../src/action/quantity-text.ts';

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

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_536, '1.5 KiB'],
  [12 * 1024 ** 2, '12 MiB'],
  [1_000 * 1024 ** 3, '1 TiB'],
  [5_000 * 1024 ** 4, '5000 TiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(byteCount(bytes)).toBe(text);
});
