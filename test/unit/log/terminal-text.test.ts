import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stripControl } from '../../../src/log/terminal-text.ts';

test.each([
  ['plain\ttext 😀 ünï', 'plain\ttext 😀 ünï', 'plain\ttext 😀 ünï'],
  ['\x1b[1;31mred\x1b[0m \x1b[38:2::1:2:3mrgb\x1b[m', 'red rgb', '\x1b[1;31mred\x1b[0m \x1b[38:2::1:2:3mrgb\x1b[m'],
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
])('control sequences are stripped from %j', (text, plain, coloured) => {
  expect(stripControl(text)).toBe(plain);
  expect(stripControl(text, { colours: true })).toBe(coloured ?? plain);
});

const ESC = '\\u001b';
const SGR = new RegExp(`${ESC}\\[[0-9;:]*m`, 'g');

const hostile = fc.string({
  unit: fc.constantFrom(...'\x1b[]P\\\x07\x9b\x9c\x9d3;:mJ? a\r\n\t'),
  maxLength: 40,
});

test('no control character but the tab is ever left', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(stripControl(text)).not.toMatch(/(?!\t)\p{Cc}/u);
      const coloured = stripControl(text, { colours: true });
      expect(coloured.replaceAll(SGR, '')).not.toMatch(/(?!\t)\p{Cc}/u);
    }),
    { numRuns: 5_000 },
  );
});

test('stripping takes linear time, whatever the sequences are', () => {
  const started = process.cpuUsage();
  for (const unit of ['\x1b]', '\x1b[1', '\x1b[', '\x1b ', '\x1b]0;title', '\x9b;']) {
    stripControl(unit.repeat(300_000));
    stripControl(`${unit}${'1'.repeat(1_000_000)}`);
    stripControl(`\x1b]${'x'.repeat(1_000_000)}`);
  }
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(5_000);
});
