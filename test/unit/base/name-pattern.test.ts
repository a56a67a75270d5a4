import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { matchesName } from '../../../src/base/name-pattern.ts';

test.each<[string, string, boolean]>([
  ['A', 'A', true],
  ['A', 'AB', false],
  ['a', 'A', false],
  ['*', '', true],
  ['A*', 'A', true],
  ['A*A', 'A', false],
  ['A*A', 'ABA', true],
  ['*_KEY', 'MY_KEY', true],
  ['*_KEY', 'MY_KEYS', false],
  ['A*B*C', 'A_B_B_C', true],
  ['A*B*C', 'A_C_B', false],
  ['A.B', 'AXB', false],
  ['A*', 'AB*', true],
  ['AB*', 'A*', false],
])('the pattern %s matches or covers %s: %s', (pattern, name, expected) => {
  expect(matchesName(pattern, name)).toBe(expected);
});

it('matches what a regular expression matches', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (pattern, name) => {
      expect(matchesName(pattern, name)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name));
    }),
  );
});
