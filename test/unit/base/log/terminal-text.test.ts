import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CUT, invisibleLength, MOST_INVISIBLE } from '../../../../src/base/log/invisible-text.ts';
import { stripControl } from '../../../../src/base/log/plain-text.ts';
import { hostile, INVISIBLE } from '../../../support/log/invisible.ts';
import { runs } from '../../../support/property-runs.ts';

test.each([
  ['plain\ttext 😀 ünï', 'plain\ttext 😀 ünï', 'plain\ttext 😀 ünï'],
  [
    '\x1b[1;31mred\x1b[0m \x1b[38:2::1:2:3mrgb\x1b[m',
    'red rgb',
    '\x1b[1;31mred\x1b[0m \x1b[38:2::1:2:3mrgb\x1b[m',
  ],
  ['progress 1%\rprogress 2%\r\n', 'progress 1%progress 2%', undefined],
  ['\x1b[2J\x1b[1;1H\x1b[?25lclear\x1b[K', 'clear', undefined],
  ['\x1b[>4;2mnot a colour', 'not a colour', undefined],
  ['\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'alink', undefined],
  ['\x1bPdevice\x1b\\a\x1b_app\x9cb\x9dosc\x07c\x90dcs\x9cd', 'abcd', undefined],
  ['\x9b31mred\x9b2J', 'red', undefined],
  ['\x1bcreset\x1b7\x1b(B\x1b#8', 'reset', undefined],
  ['nul\0bell\x07back\x08space\x7f\x85\x0b', 'nulbellbackspace', undefined],
  ['\x1b]0;never ended', ']0;never ended', undefined],
  ['\x1b[12;', '[12;', undefined],
  ['\x1b\x1b[31mx\x1b', 'x', '\x1b[31mx'],
  ['\x1b[3\x1b[31m1m', '[31m', '[3\x1b[31m1m'],
  ['\x1b[3\n1mx', '[31mx', undefined],
  ['h\u202eu\u200bn\u00adt\ufeff', 'hunt', undefined],
  ['👨\u200d👩 ⚠\ufe0f می\u200cخواهم', '👨\u200d👩 ⚠\ufe0f می\u200cخواهم', undefined],
  ['\x1b]0;a *** b\x07c \x1b[***m', ']0;a *** bc [***m', undefined],
  ['\x1b]0;a\u200bb\x07c', ']0;abc', undefined],
])('control sequences are stripped from %j', (text, plain, coloured) => {
  expect(stripControl(text)).toBe(plain);
  expect(stripControl(text, { colours: true })).toBe(coloured ?? plain);
});

const ESC = '\\u001b';
const SGR = new RegExp(`${ESC}\\[[0-9;:]*m`, 'g');

test('no control character but the tab is ever left', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(stripControl(text)).not.toMatch(/(?!\t)\p{Cc}/u);
      const coloured = stripControl(text, { colours: true });
      expect(coloured.replaceAll(SGR, '')).not.toMatch(/(?!\t)\p{Cc}/u);
    }),
    { numRuns: runs(5_000) },
  );
});

test('exactly what redaction does not see is stripped, but for characters that shape others', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const shaping = (piece: string) => (/^(?:\u200c|\u200d|[\ufe00-\ufe0f])$/.test(piece) ? piece : '');
      expect(stripControl(text)).toBe(text.replaceAll(INVISIBLE, shaping).replaceAll('\n', ''));
    }),
    { numRuns: runs(2_000) },
  );
});

test('every character is invisible that Unicode calls ignorable, and every control but tab and line feed', () => {
  const ignorable = /^(?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]$/u;
  const wrong: number[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const bytes = Buffer.from(character);
    if (invisibleLength(bytes, 0, true) !== (ignorable.test(character) ? bytes.length : 0)) wrong.push(code);
  }
  expect(wrong).toEqual([]);
});

test.each([
  ['\x1b', 1],
  ['\x1b[31', 1],
  ['\x1b(', 1],
  ['\x1b]0;title', 1],
  ['\x1b]0;title\x1b', 1],
  ['\x9d0;tit\xe9', 2],
  [Buffer.from('\u200b').subarray(0, 2), 0],
  [Buffer.from('\x1b]0;\u{e0041}').subarray(0, 6), 1],
])(
  '%j is cut by the end of the text, and only its introducer invisible if nothing follows',
  (text, length) => {
    const bytes = Buffer.from(text as string);
    expect(invisibleLength(bytes, 0, false)).toBe(CUT);
    expect(invisibleLength(bytes, 0, true)).toBe(length);
  },
);

test.each([
  ['\x1b]', '\x07'],
  ['\x1b[', 'm'],
  ['\x1b', '0'],
])('a sequence that begins with %j and ends with %j has a most of bytes', (begin, end) => {
  const filler = begin === '\x1b]' ? 'x' : begin === '\x1b[' ? '1' : ' ';
  const whole = (size: number) =>
    Buffer.from(`${begin}${filler.repeat(size - begin.length - end.length)}${end}`);
  expect(invisibleLength(whole(MOST_INVISIBLE), 0, false)).toBe(MOST_INVISIBLE);
  expect(invisibleLength(whole(MOST_INVISIBLE + 1), 0, false)).toBe(1);
  expect(invisibleLength(whole(MOST_INVISIBLE + 9).subarray(0, MOST_INVISIBLE - 1), 0, false)).toBe(CUT);
  expect(invisibleLength(whole(MOST_INVISIBLE + 9).subarray(0, MOST_INVISIBLE), 0, false)).toBe(1);
});

test('stripping takes linear time, whatever the sequences are', () => {
  const started = process.cpuUsage();
  for (const unit of [
    '\x1b]',
    '\x1b[1',
    '\x1b[',
    '\x1b ',
    '\x1b]0;title',
    '\x9b;',
    '\x9d',
    '\x90x',
    '\u202e',
  ]) {
    stripControl(unit.repeat(300_000));
    stripControl(`${unit}${'1'.repeat(1_000_000)}`);
    stripControl(`\x1b]${'x'.repeat(1_000_000)}`);
  }
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(5_000);
});
