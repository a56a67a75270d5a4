import { expect, it } from 'vitest';
import { readMemory } from '../../../src/executor/container/memory.ts';

it.each([
  ['94371840 20971520', 70 * 2 ** 20],
  // More was dropped meanwhile than is left.
  ['1 2', 0],
  ['no', undefined],
  ['94371840 ', undefined],
])('a container answers %j', (answer, expected) => {
  expect(readMemory(answer)).toBe(expected);
});
