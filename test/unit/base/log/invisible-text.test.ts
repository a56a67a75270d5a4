import { expect, it } from 'vitest';
import { INVISIBLE } from '../../../../src/base/log/invisible-text.ts';

const ESCAPE = 0x1b;

it('every character that ICU ignores is unseen, except a lone escape', () => {
  const collator = new Intl.Collator('en');
  const invisible = new RegExp(`^${INVISIBLE}$`, 'u');
  const ignored = Array.from({ length: 0x11_0000 }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .filter((code) => collator.compare(`#${String.fromCodePoint(code)}#`, '##') === 0);
  expect(ignored.length).toBeGreaterThan(900);
  expect(ignored.filter((code) => !invisible.test(String.fromCodePoint(code)))).toEqual([ESCAPE]);
});
