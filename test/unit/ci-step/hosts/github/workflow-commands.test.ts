import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { consoleLine, consoleText } from '../../../../../src/ci-step/hosts/github/workflow-commands.ts';
import { parseActionCommand } from '../../../../emulators/github/action-command.ts';
import { LineReader } from '../../../../emulators/github/line-reader.ts';
import { runs } from '../../../../support/property-runs.ts';

const ESC = '\u001b';

/** The command that the runner sees in a line. Treats every name as registered, so that none slips through. */
function commandIn(line: string): unknown {
  return parseActionCommand(line, () => true);
}

function asRunnerReads(text: string): string[] {
  const reader = new LineReader();
  return [...reader.push(Buffer.from(`${text}\n`)), ...reader.end()];
}

/** Parts of commands, and arbitrary text. */
const hostilePiece = fc.oneof(
  fc.constantFrom('::', ':', '##[', '#', '[', ']', '::error::', '##[error]', '::set-output name=a::b'),
  fc.constantFrom(...' \t\r\n\v\f\u0085\u00a0\u2028\u2029', '\r\n'),
  fc.constantFrom(...'\u200b\ufeff\u00ad\u200d\u0000\u001f\u009b\u009d\u180e'),
  fc.constantFrom(`${ESC}[31m`, `${ESC}[0m`, `${ESC}[2J`, `${ESC}]0;x\u0007`, `${ESC}`, `${ESC}\\`, '\u0007'),
  fc.constantFrom('%0A', '%0D', '%25', '%3A'),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const hostileText = fc.array(hostilePiece, { maxLength: 14 }).map((pieces) => pieces.join(''));

describe.each([
  ['consoleLine', consoleLine],
  ['consoleText', (text: string) => consoleText(text.replaceAll('\n', ' '))],
])('%s', (_, clean) => {
  test('turns anything into one line, and never into a command', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const lines = asRunnerReads(clean(text));
        expect(lines.length).toBe(1);
        expect(commandIn(lines[0] ?? '')).toBeUndefined();
        // The runner drops a byte order mark from a stream's first line.
        expect(commandIn((lines[0] ?? '').replace(/^\ufeff/, ''))).toBeUndefined();
      }),
      { numRuns: runs(5_000) },
    );
  });
});

describe('consoleLine', () => {
  test.each([
    [' \t::set-output name=a::b', ' \t: :set-output name=a::b'],
    ['\u0085\u3000::error::x', '\u3000: :error::x'],
    ['done ##[error]x', 'done ## [error]x'],
    ['#\u200b#[error]x', '## [error]x'],
    ['#\u200d#[error]x', '#\u200d# [error]x'],
    [`${ESC}[31m::error::x`, `${ESC}[31m: :error::x`],
    ['10%\r::error::x', '10%␍::error::x'],
    // The progress of `curl` and `git`: each state overwrites the line, some after clearing it.
    ['  0%\r 50%\r\r100%\r', '  0%␍ 50%␍100%'],
    [
      `get: 1%${Array.from({ length: 99 }, (_, n) => `\r${ESC}[Kget: ${n + 2}%`).join('')}\r${ESC}[K`,
      'get: 1%␍ … 98 states … ␍get: 100%',
    ],
    ['a\u2028b', 'a␤b'],
    ['safe\u202eevil\u202c', 'safeevil'],
  ])('shows %j as %j', (text, shown) => {
    expect(consoleLine(text)).toBe(shown);
  });

  test('leaves ordinary output alone', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'abc XYZ 0189 .,;!?/\\()[]{}<>|&*+-=_~$"äé漢😀\t') }),
        (text) => {
          expect(consoleLine(text)).toBe(text);
        },
      ),
    );
  });

  test('is fast even for lines made to be slow', () => {
    const pieces = [
      '#',
      '#\u200b',
      ':\u200b',
      ' ',
      '\t',
      '\ufeff',
      `${ESC}[`,
      `${ESC}[m`,
      `${ESC}]`,
      '\r',
      '##',
      ': ',
    ];
    for (const piece of pieces) {
      const text = piece.repeat(8_192);
      const began = process.cpuUsage();
      consoleLine(text);
      expect(process.cpuUsage(began).user / 1000).toBeLessThan(1_000);
    }
  });
});

test('consoleText keeps the lines of a text, and turns none into a command', () => {
  expect(consoleText('::error::x\r\n  ##[error]y')).toBe(': :error::x\n  ## [error]y');
});
