import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonLines } from '../../../../src/agent/upload/json-lines.ts';

interface Line {
  readonly t: string;
  readonly l: string;
}
const parsed = (lines: JsonLines): Line[] => JSON.parse(`[${lines.json}]`);

it('any lines are the JSON that a string of each would be, but for U+0000', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '\n', '\u001b[31m"\\\0\u2028é🙂\r\n'),
  );
  const line = fc.record({
    time: fc.constantFrom(0, 1_764_180_000_123),
    text,
    more: fc.constantFrom('', '\n'),
  });
  const lines = new JsonLines(100_000, 0);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (all) => {
      lines.clear();
      for (const { time, text: each, more } of all) lines.add(time, Buffer.from(each), { more });
      expect(lines.count).toBe(all.length);
      const expected = all.map(({ time, text: each, more }) => ({
        t: new Date(time).toISOString(),
        // A lone surrogate is no UTF-8.
        l: `${each.toWellFormed().replaceAll('\0', '\ufffd')}${more}`,
      }));
      expect(parsed(lines)).toEqual(expected);
    }),
  );
});

it('the worst line still has room beyond the limit, and can be taken back', () => {
  const lines = new JsonLines(100, 40_961);
  const worst = Buffer.alloc(40_961, '\u001b');
  lines.add(0, Buffer.from('a'), { more: '\n' });
  const { length } = lines;
  lines.add(253_402_300_800_000, worst);
  expect(parsed(lines)[1]?.l).toBe(worst.toString());
  lines.undo(length);
  expect(parsed(lines)).toEqual([{ t: '1970-01-01T00:00:00.000Z', l: 'a\n' }]);
});
