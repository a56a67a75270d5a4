import { expect, test } from 'vitest';
import { byteCount } from '../../../src/base/quantity.ts';

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
