import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  command,
  consoleLine,
  consoleText,
} from '../../../../../src/ci-step/hosts/azure/logging-commands.ts';
import { formatsOf, readAzureConsole } from '../../../../support/hosts/azure-console.ts';
import { runs } from '../../../../support/property-runs.ts';

const part = fc.oneof(
  fc.constantFrom(
    '#',
    '##',
    '##vso[',
    '##[',
    'vso',
    '[',
    ']',
    'task.setvariable ',
    'variable=x;',
    '%AZP25',
    '%5D',
  ),
  fc.constantFrom('##VSO', '\u0591', '\u0640', '\u180a', '\ufe73', '\u034f'),
  fc.constantFrom('\u200b', '\u00ad', '\u0000', '\ufeff', '\u001b[31m', '\u001b[0m', '\r', '\n', '\t', ' '),
  fc.string({ maxLength: 4, unit: 'grapheme' }),
);
const hostile = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));

describe.each([
  ['consoleLine', consoleLine],
  ['consoleText', consoleText],
])('%s', (_, safe) => {
  it('never makes a command or a format of the agent', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { commands, lines } = readAzureConsole(safe(text));
        expect(commands).toEqual([]);
        expect(lines.flatMap(formatsOf)).toEqual([]);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it.each([
    '##vso[task.complete]x',
    'a #\u200b#v\u00adso[task.complete]',
    'a #\u0591#v\u0640so[task.complete]',
    '##[section]y',
    '#\u0000#[error]',
    'see ##vso',
  ])('defuses %j, which the reader would take for one', (text) => {
    const { commands, lines } = readAzureConsole(text);
    expect(commands.length + lines.flatMap(formatsOf).length).toBe(1);
    const shown = readAzureConsole(safe(text));
    expect(shown.commands).toEqual([]);
    expect(shown.lines.flatMap(formatsOf)).toEqual([]);
  });

  it('leaves headings and colours’ names as they are', () => {
    expect(safe('## Heading # 1 [x]')).toBe('## Heading # 1 [x]');
  });
});

it('a command of ours is read back as it was, whatever its values', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 }).filter((value) => value.trim() !== '');
  fc.assert(
    fc.property(text, text, (value, data) => {
      const [read, ...more] = readAzureConsole(
        command('task.setvariable', { variable: value }, data),
      ).commands;
      expect(more).toEqual([]);
      expect(read).toEqual({ name: 'task.setvariable', properties: { variable: value }, data });
    }),
  );
});
