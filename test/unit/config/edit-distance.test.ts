import fc from 'fast-check';
import { expect, it } from 'vitest';
import { editDistance, nearest } from '../../../src/config/edit-distance.ts';

it.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['token', 'tokn', 1],
  ['token', 'tokne', 1],
  ['kitten', 'sitting', 3],
  ['ca', 'abc', 3],
])('is %j to %j: %d', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
});

it('is symmetric, zero only for equal texts, and at most the longer length', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = editDistance(a, b);
      expect(distance).toBe(editDistance(b, a));
      expect(distance === 0).toBe(a === b);
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
      expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
    }),
  );
});

it('finds the nearest name, or none', () => {
  const names = ['token', 'token_expiration', 'image'];
  expect(nearest('tokens', names)).toBe('token');
  expect(nearest('Token-Expiration', names)).toBe('token_expiration');
  expect(nearest('images', ['imagine', 'image'])).toBe('image');
  expect(nearest('kubeconfig', names)).toBeUndefined();
  expect(nearest('x'.repeat(100_000), names)).toBeUndefined();
});
