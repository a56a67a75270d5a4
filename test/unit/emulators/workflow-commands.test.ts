import { describe, expect, it } from 'vitest';
import { parseActionCommand } from '../../emulators/github/action-command.ts';
import { LineReader } from '../../emulators/github/line-reader.ts';
import { interpretConsole, WorkflowCommandInterpreter } from '../../emulators/github/workflow-commands.ts';

const parse = (line: string) =>
  parseActionCommand(line, (name) => ['error', 'set-output', 'group'].includes(name));

describe('LineReader', () => {
  const read = (...chunks: (string | Buffer)[]) => {
    const reader = new LineReader();
    return [...chunks.flatMap((chunk) => reader.push(Buffer.from(chunk))), ...reader.end()];
  };

  it('ends lines at \\n, \\r\\n and a lone \\r, and at nothing else', () => {
    expect(read('a\nb\r\nc\rd\u2028e\u0085f\n\ng')).toEqual(['a', 'b', 'c', 'd\u2028e\u0085f', '', 'g']);
  });
});

describe('parseActionCommand', () => {
  it('reads the :: form with properties and undoes the escapes, %25 last', () => {
    expect(parse('\u3000 ::error file=a%2Cb.ts, line=3,title=x%3Ay::1%0D%0A2 %250A ]')).toEqual({
      command: 'error',
      properties: { file: 'a,b.ts', ' line': '3', title: 'x:y' },
      message: '1\r\n2 %0A ]',
    });
  });

  it('reads the ##[ form anywhere in a line, with its own separators and escapes', () => {
    expect(parse('2026-06-18 log: ##[error file=a%3Bb;line=3]m%5D%0A')).toEqual({
      command: 'error',
      properties: { file: 'a;b', line: '3' },
      message: 'm]\n',
    });
  });

  it.each([
    ['x ::error::m', 'text before ::'],
    ['::error', 'no second ::'],
    ['::unknown::m', 'an unknown command'],
    ['\ufeff::error::m', 'U+FEFF is no white space to .NET'],
    ['##[error', 'no bracket'],
    ['##[nothing] ##[error]m', 'only the first ##[ counts'],
    ['# #[error]m', 'a blank inside the prefix'],
  ])('treats %j as text: %s', (line) => {
    expect(parse(line)).toBeUndefined();
  });
});

describe('interpretConsole', () => {
  it('shows how a lone \\r, white space or another case can forge an output', () => {
    const reading = interpretConsole('progress 50%\r\u00a0\t::Set-Output NAME=x::forged\n');
    expect(reading.outputs).toEqual({ x: 'forged' });
    expect(reading.forged).toMatchObject([{ message: 'forged' }]);
    expect(reading.lines).toEqual(['progress 50%']);
  });

  it('treats %0A neither in text as a line end nor in a message as a new command', () => {
    const reading = interpretConsole('a%0A::set-output name=x::y\n::error::m%0A::set-output name=x::y\n');
    expect(reading.outputs).toEqual({});
    expect(reading.commands.map((one) => one.command)).toEqual(['error']);
    expect(reading.lines).toEqual(['a%0A::set-output name=x::y', '##[error]m', '::set-output name=x::y']);
  });

  it('ignores commands between stop-commands and its token', () => {
    const interpreter = new WorkflowCommandInterpreter();
    for (const line of [
      '::stop-commands::T0ken-42',
      '::error::no',
      '##[set-output name=x]no',
      '::t0KEN-42::',
      '::error::yes',
    ]) {
      interpreter.interpret(line);
    }
    const reading = interpreter.read();
    expect(reading.annotations).toMatchObject([{ message: 'yes' }]);
    expect(reading.outputs).toEqual({});
    // The token becomes a secret before its line is shown, and masking is case-sensitive.
    expect(reading.lines).toEqual([
      '::stop-commands::***',
      '::error::no',
      '##[set-output name=x]no',
      '::t0KEN-42::',
      '##[error]yes',
    ]);
  });

  it('masks each line of a secret in later text, but not in earlier text', () => {
    const reading = interpretConsole(
      'hunter2\n::add-mask::hunter2%0Asecond line\nhunter2hunter2 and second line\n::error::hunter2\n',
    );
    expect(reading.lines).toEqual(['hunter2', '*** and ***', '##[error]***']);
    expect(reading.annotations[0]?.message).toBe('***');
    expect(reading.masks).toEqual(['hunter2\nsecond line', 'hunter2', 'second line']);
  });
});
