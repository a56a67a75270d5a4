import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainLine } from '../../../../src/base/log/plain-text.ts';
import { colouredLine } from '../../../../src/record/report/coloured-line.ts';
import { runs } from '../../../support/property-runs.ts';

/** A line as the page reads it. */
const coloured = (text: string) => colouredLine(plainLine(text, { colours: true }));

test.each([
  ['the colours of a basic terminal', '\u001b[31mred\u001b[39m plain', [['red', 'c1'], ' plain']],
  ['its bright ones', 'a\u001b[93mb', ['a', ['b', 'c11']]],
  ["Pulumi's, of the palette of 256", '\u001b[38;5;9merror: \u001b[0mno', [['error: ', 'c9'], 'no']],
  ['a colour of the cube', '\u001b[38;5;196mx', [['x', 'c9']]],
  [
    'a grey',
    '\u001b[38;5;245mx\u001b[38;5;236my',
    [
      ['x', 'c7'],
      ['y', 'c8'],
    ],
  ],
  [
    'true colours',
    '\u001b[38;2;10;200;30mx\u001b[38:2::250:240:0my',
    [
      ['x', 'c2'],
      ['y', 'c11'],
    ],
  ],
  ['colons', '\u001b[38:5:2;1mx', [['x', 'c2 bold']]],
  [
    'weights',
    '\u001b[1ma\u001b[2;3;4mb\u001b[22mc\u001b[23;24md',
    [['a', 'bold'], ['b', 'bold faint italic underline'], ['c', 'italic underline'], 'd'],
  ],
  ['a sequence without a number, which resets', '\u001b[1;32mx\u001b[my', [['x', 'c2 bold'], 'y']],
  ['backgrounds, hidden text and unknown codes as plain text', '\u001b[41;8;5;48;5;3;77mx', ['x']],
  ['an impossible colour as plain text', '\u001b[38;5;999mx\u001b[38my\u001b[38;5mz', ['xyz']],
])('a line keeps %s', (_, text, pieces) => {
  expect(coloured(text)).toEqual(pieces);
});

test('colours take nothing from a text, add nothing to it, and are few', async () => {
  const sequence = fc.array(fc.oneof(fc.nat(110), fc.constantFrom(38, 48, 5, 2)), { maxLength: 7 });
  const piece = fc.oneof(
    sequence.map((codes) => `\u001b[${codes.join(';')}m`),
    fc.string({ maxLength: 5 }),
    fc.constantFrom('\u001b[', '\u001b', 'm', '\u001b[;m', '\u001b[:m', '\u001b[999999999999m'),
  );

  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (parts) => {
      const text = parts.join('');
      const pieces = coloured(text).map((each) => (typeof each === 'string' ? ([each, ''] as const) : each));
      expect(pieces.map(([content]) => content).join('')).toBe(plainLine(text));
      for (const [content, look] of pieces) {
        expect(content).not.toBe('');
        expect(look).toMatch(/^(?:c(?:\d|1[0-5]))?(?:(?:^| )(?:bold|faint|italic|underline))*$/);
      }
      for (const [at, [, look]] of pieces.entries()) expect(look).not.toBe(pieces[at + 1]?.[1]);
    }),
    { numRuns: runs(500) },
  );
});
