import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasCredentialShape } from '../../../../src/base/log/credential-shape.ts';
import {
  type Alphabet,
  CREDENTIALS,
  drawing,
  PLAIN_VALUES,
} from '../../../support/log/credential-examples.ts';

/** Per cent of strings drawn with one seed that are found. */
function found(alphabet: Alphabet, length: number, strings = 10_000): number {
  const draw = drawing(7);
  const drawn = Array.from({ length: strings }, () => draw(alphabet, length));
  return (drawn.filter((text) => hasCredentialShape(text)).length / strings) * 100;
}

describe('a credential’s shape', () => {
  // 20 characters with signs have no format to know them by.
  const { 'password manager, 20 of printable ASCII': symbols, ...known } = CREDENTIALS;

  it.each(Object.entries(known))('is that of: %s', (_, make) => {
    const draw = drawing(1);
    for (let count = 0; count < 100; count++) {
      const value = make(draw);
      expect(hasCredentialShape(value), value).toBe(true);
      expect(hasCredentialShape(`  - ${value}\n`) || /^(?:jane|db.internal):/.test(value), value).toBe(true);
    }
  });

  it('is that of nine in ten passwords of 20 characters with signs', () => {
    const draw = drawing(1);
    const values = Array.from({ length: 1_000 }, () => symbols?.(draw) ?? '');
    expect(values.filter((value) => hasCredentialShape(value)).length).toBeGreaterThan(900);
  });

  it.each<[Alphabet, number, number]>([
    ['hex', 20, 81],
    ['hex', 24, 92],
    ['hex', 32, 100],
    ['base32', 20, 98],
    ['base32', 32, 99],
    ['base32 in lower case', 20, 98],
    ['base36', 20, 98],
    ['base62', 20, 99.9],
    ['base64', 20, 98],
    ['base64url', 20, 98],
    ['base62', 24, 99.9],
    ['base64', 24, 99],
    ['base64', 40, 100],
    ['printable ASCII', 20, 93],
    ['printable ASCII', 24, 98],
    ['printable ASCII', 32, 99],
    ['lower-case letters', 20, 87],
    ['lower-case letters', 32, 99],
  ])('is that of text drawn from %s, %i characters long: in %d of 100', (alphabet, length, least) => {
    expect(found(alphabet, length)).toBeGreaterThanOrEqual(least);
  });

  // IDs that the cloud drew itself, of as many characters as a credential.
  const LOOK_DRAWN = /cluster-c9akciq32xyz|k3x9m2q7pd|7xk2m4qz5a/;

  it.each(PLAIN_VALUES.filter((value) => !LOOK_DRAWN.test(value)))('is not that of %s', (value) => {
    expect(hasCredentialShape(value)).toBe(false);
  });

  it('is that of three plain addresses of the table too', () => {
    const alike = PLAIN_VALUES.filter((value) => hasCredentialShape(value));
    expect(alike).toHaveLength(3);
    for (const value of alike) expect(value).toMatch(LOOK_DRAWN);
  });

  it('is that of 40 hex digits, and so of a commit, but not of a digest that says so', () => {
    const draw = drawing(1);
    expect(hasCredentialShape(draw('hex', 40))).toBe(true);
    expect(hasCredentialShape(`sha256:${draw('hex', 64)}`)).toBe(false);
  });

  it('is that of a text with a credential anywhere in it', () => {
    const token = `gh${'p'}_${drawing(1)('base62', 36)}`;
    const between = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(between, between, (before, after) => hasCredentialShape(`${before} ${token} ${after}`)),
    );
  });

  it('is not found in a password of words, nor in fewer than 20 characters without a format', () => {
    for (const value of [
      'correct horse battery staple',
      'correct-horse-battery-staple-7',
      'hunter2',
      'Zq9-44!xK',
    ])
      expect(hasCredentialShape(value)).toBe(false);
  });

  // What backtracking or nested encodings could take quadratic time for.
  const UNITS = [
    'a',
    '"',
    '\\',
    '@',
    '://a:',
    '://a:b@',
    'a.',
    'eyJ',
    '-eyJ',
    '-',
    '--',
    'login ',
    'login x',
    ' ',
    'a=b;',
    '=',
    ':',
    '日',
  ].concat([
    '😀',
    'abcdef01 ',
    '550e8400-e29b-41d4-',
    'sha256:',
    'password ',
    'Bearer ',
    'A key',
    '--token ',
    '[',
    'aws_secret_',
    'x:[[',
  ]);
  it.each(UNITS)('is looked for in a megabyte of %j in linear time', (unit) => {
    const value = unit.repeat(1_000_000 / unit.length);
    const before = process.cpuUsage();
    hasCredentialShape(value);
    const { user, system } = process.cpuUsage(before);
    // Microseconds: a third of a second at most; quadratic time would be minutes.
    expect(user + system).toBeLessThan(3_000_000);
  });
});
