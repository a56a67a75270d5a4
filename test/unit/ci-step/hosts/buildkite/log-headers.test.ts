import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { consoleLine, consoleText } from '../../../../../src/ci-step/hosts/buildkite/log-headers.ts';
import { readBuildkiteLog } from '../../../../support/hosts/buildkite-log.ts';
import { runs } from '../../../../support/property-runs.ts';

const ESC = '\u001b';
const BEL = '\u0007';

/** Parts of headers and of what Buildkite's terminal interprets, and arbitrary text. */
const hostilePiece = fc.oneof(
  fc.constantFrom('---', '+++', '~~~', '^^^ +++', '-', '+', '~', '^', '--- x', '+++ x'),
  fc.constantFrom(...' \t\r\v\f\u0085\u00a0\u2028\b', '\u200b', '\u200d', '\ufe0f', '\ufeff'),
  fc.constantFrom(`${ESC}_bk;t=1${BEL}`, `${ESC}_bk;x=1${BEL}`, `${ESC}]1339;url=http://x${BEL}`),
  fc.constantFrom(`${ESC}]1338;url=x;alt=y${BEL}`, `${ESC}]1337;File=name=YS5wbmc=;inline=1:YQ==${BEL}`),
  fc.constantFrom(`${ESC}]8;;http://x${ESC}\\`, `${ESC}[31m`, `${ESC}[0m`, `${ESC}[m`, `${ESC}[38:2:1m`),
  fc.constantFrom(
    `${ESC}[2K`,
    `${ESC}[1A`,
    `${ESC}[2J`,
    `${ESC}[H`,
    `${ESC}M`,
    `${ESC}7`,
    `${ESC}(`,
    ESC,
    `${ESC}]`,
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const hostileText = fc.array(hostilePiece, { maxLength: 14 }).map((pieces) => pieces.join(''));

describe.each([
  ['consoleLine', consoleLine],
  ['consoleText', (text: string) => consoleText(text.replaceAll('\n', ' '))],
])('%s', (_, clean) => {
  test('turns anything into one line of output, without another effect on the log', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const { lines, effects, isStyled } = readBuildkiteLog(`${clean(text)}\n`);
        expect({ kinds: lines.map(({ kind }) => kind), effects, isStyled }).toEqual({
          kinds: ['output'],
          effects: [],
          isStyled: false,
        });
      }),
      { numRuns: runs(5_000) },
    );
  });
});

describe('consoleLine', () => {
  it.each([
    ['--- a/main.ts', '- -- a/main.ts'],
    ['+++\tb/main.ts', '+ ++\tb/main.ts'],
    ['~~~ x', '~ ~~ x'],
    ['^^^ +++', '^ ^^ +++'],
    ['---', '- --'],
    [`${ESC}[31m--- x`, `${ESC}[31m- -- x${ESC}[0m`],
    [`-${ESC}[31m-${ESC}[0m- x`, `- ${ESC}[31m-${ESC}[0m- x${ESC}[0m`],
    [`\u200d--- x`, `\u200d- -- x`],
    [`${ESC}_bk;t=1${BEL}--- x`, '- -- x'],
    [`a${ESC}]1339;url=http://x${BEL}b`, 'ab'],
    ['10%\r--- x', '10%␍--- x'],
    ['-----BEGIN CERTIFICATE-----', '-----BEGIN CERTIFICATE-----'],
    [`${ESC}[32mok`, `${ESC}[32mok${ESC}[0m`],
  ])('shows %j as %j', (text, shown) => {
    expect(consoleLine(text)).toBe(shown);
  });

  it('leaves ordinary output alone', () => {
    const ordinary = fc.string({
      unit: fc.constantFrom(...'abc XYZ 0189 .,:;!?/\\()[]{}<>|&*=_$#"äé漢😀\t'),
    });
    fc.assert(
      fc.property(ordinary, (text) => {
        expect(consoleLine(text)).toBe(text);
      }),
    );
  });

  it('is fast even for lines made to be slow', () => {
    for (const piece of [
      '-',
      '-\u200d',
      ' ',
      '\t',
      '\ufe0f',
      '--- ',
      `${ESC}[m`,
      `-${ESC}[m`,
      `${ESC}]`,
      '\r',
    ]) {
      const text = piece.repeat(8_192);
      const began = process.cpuUsage();
      consoleLine(text);
      expect(process.cpuUsage(began).user / 1000).toBeLessThan(1_000);
    }
  });
});

test('consoleText keeps the lines of a text, and makes none a header', () => {
  expect(consoleText('--- x\r\n+++ y\nz')).toBe('- -- x\n+ ++ y\nz');
});

test('the reader finds headers, time stamps and links where there are some', () => {
  const log = `${ESC}_bk;t=1${BEL}--- Group\r\n${ESC}_bk;dt=1${BEL}a${ESC}]1339;url=x${BEL}\r\n^^^ +++\n`;
  expect(readBuildkiteLog(log)).toEqual({
    lines: [
      { text: '--- Group', kind: 'header' },
      { text: 'a', kind: 'output' },
      { text: '^^^ +++', kind: 'expansion' },
    ],
    effects: [']1339;url=x'],
    isStyled: false,
  });
});
