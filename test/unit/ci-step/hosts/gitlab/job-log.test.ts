import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  consoleLine,
  consoleText,
  sectionEnd,
  sectionStart,
} from '../../../../../src/ci-step/hosts/gitlab/job-log.ts';
import { gitlabLog, type LogLine } from '../../../../support/hosts/gitlab-log.ts';
import { runs } from '../../../../support/property-runs.ts';

const ESC = '\u001b';
const CLEAR = `\r${ESC}[0K`;
const STAMP = '2026-11-27T09:34:39.123456Z 01O+';
const NOW = 1_700_000_000_000;

/** Parts of what GitLab's reader knows, and arbitrary text. */
const hostilePiece = fc.oneof(
  fc.constantFrom(
    'section_start:1:x',
    'section_end:1:runner',
    'section_end:1:runner[a=b]',
    CLEAR,
    's',
    'section_',
  ),
  fc.constantFrom(
    STAMP,
    STAMP.replace('+', ' '),
    '2026-11-27T09:34:39.123456Z',
    ' 00E+',
    '+',
    '::add-mask::',
  ),
  fc.constantFrom(
    ...' \t\r\v\f\u0085\u00a0\u2028',
    '\r\r',
    `${ESC}[8m`,
    `${ESC}[31m`,
    `${ESC}[0m`,
    `${ESC}[m`,
  ),
  fc.constantFrom(
    ESC,
    `${ESC}[`,
    `${ESC}[2J`,
    `${ESC}]0;x\u0007`,
    `${ESC}[0K`,
    '\u009b',
    `${ESC}[38;5`,
    'K',
    'm',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const hostileText = fc.array(hostilePiece, { maxLength: 14 }).map((pieces) => pieces.join(''));

/** A line that GitLab joins with the one before it where the log has time stamps. */
const LOOKS_CONTINUED = `continued${'.'.repeat(22)}+ and more`;

const plain = { isHeader: false, isFooter: false, isStyled: false };

function withoutStyle(line: LogLine): LogLine {
  return { ...line, isStyled: false };
}

/** The lines as GitLab shows them, without their colours. */
function shown(lines: readonly string[]): LogLine[] {
  const texts = lines.map((line) => stripVTControlCharacters(line));
  return texts.filter((text) => text !== '').map((text) => ({ ...plain, text, section: 'runner' }));
}

describe.each([
  ['consoleLine', consoleLine],
  ['consoleText', (text: string) => consoleText(text.replaceAll('\n', ' '))],
])('%s', (_, clean) => {
  test.each([1, 2] as const)(
    'turns anything into one line, which version %i of GitLab shows whole, in the section that we opened',
    (version) => {
      fc.assert(
        fc.property(hostileText, fc.boolean(), (text, isStamped) => {
          const stamp = isStamped ? STAMP.replace('+', ' ') : '';
          const lines = [clean(text), 'between', clean(text), LOOKS_CONTINUED];
          const written = [
            sectionStart('runner', NOW, clean(text)),
            ...lines.map((line) => `${line}\n`),
            sectionEnd('runner', NOW),
          ].map((line) => stamp + line);

          const read = gitlabLog(`${stamp}first\n${written.join('')}`, version).slice(1);

          expect(read.filter(({ isHeader }) => isHeader).length).toBeLessThanOrEqual(1);
          expect(read.at(-1)).toEqual({ ...plain, text: '', isFooter: true, section: 'runner' });
          expect(read.slice(read[0]?.isHeader ? 1 : 0, -1).map(withoutStyle)).toEqual(shown(lines));
          expect(
            read.filter(({ text: each }) => each === 'between' || each === LOOKS_CONTINUED),
          ).toMatchObject([plain, plain]);
        }),
        { numRuns: runs(4_000) },
      );
    },
  );

  test('leaves no line that makes GitLab cut the lines after it', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(gitlabLog(`${clean(text)}\n${LOOKS_CONTINUED}\n`).at(-1)).toEqual({
          ...plain,
          text: LOOKS_CONTINUED,
        });
      }),
      { numRuns: runs(4_000) },
    );
  });
});

describe('consoleLine', () => {
  test.each([
    ['10%\rsection_end:1:runner\r\u001b[0K', '10%␍section_end:1:runner'],
    [`${STAMP}x`, '     2026-11-27T09:34:39.123456Z  01O+x'],
    [`${ESC}[31m${STAMP}x`, `     ${ESC}[31m2026-11-27T09:34:39.123456Z  01O+x${ESC}[0m`],
    ['say ::add-mask::e', 'say : :add-mask::e'],
    [`${ESC}[8mgone`, `${ESC}[8mgone${ESC}[0m`],
    [`${ESC}[32mup${ESC}[0m`, `${ESC}[32mup${ESC}[0m`],
    ['section_start:1:x', 'section_start:1:x'],
  ])('shows %j as %j', (text, line) => {
    expect(consoleLine(text)).toBe(line);
  });

  test('leaves ordinary output alone', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'abc XYZ 0189 .,!?/\\()[]{}<>|&*+=_~$"äé漢😀\t') }),
        (text) => {
          expect(consoleLine(text)).toBe(text);
        },
      ),
    );
  });
});

test('a section is folded, has our title as its header and ends with its duration', () => {
  const log = `${sectionStart('step', NOW, 'Step 1\nsection_end:1:step\r\u001b[0K')}output\n${sectionEnd('step', NOW + 9_000)}next\n`;
  expect(gitlabLog(log)).toEqual([
    {
      ...plain,
      text: 'Step 1 section_end:1:step',
      section: 'step',
      isHeader: true,
      options: '[collapsed=true]',
    },
    { ...plain, text: 'output', section: 'step' },
    { ...plain, text: '', section: 'step', isFooter: true },
    { ...plain, text: 'next' },
  ]);
});

test('the reader knows what the lines are made safe from', () => {
  const header = sectionStart('runner', NOW, 'x');
  expect(gitlabLog(`${header}section_end:1:runner\r\u001b[0Kout\n`).at(-1)).toEqual({
    ...plain,
    text: 'out',
  });
  expect(gitlabLog('a\rb\n')).toEqual([{ ...plain, text: 'b' }]);
  expect(gitlabLog(`cut${ESC}[\nafter\n`)).toEqual([{ ...plain, text: 'cutafter' }]);
  expect(gitlabLog(`${ESC}[8m\nafter\n`)).toEqual([{ ...plain, text: 'after', isStyled: true }]);
  expect(gitlabLog(`${STAMP} x\n${LOOKS_CONTINUED}\n`).length).toBe(1);
});
