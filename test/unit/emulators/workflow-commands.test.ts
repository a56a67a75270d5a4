import { describe, expect, it } from 'vitest';
import { parseActionCommand } from '../../emulators/github/action-command.ts';
import { LineReader } from '../../emulators/github/line-reader.ts';
import { interpretConsole, WorkflowCommandInterpreter } from '../../emulators/github/workflow-commands.ts';

const parse = (line: string) => parseActionCommand(line, (name) => ['error', 'set-output', 'group'].includes(name));

describe('LineReader', () => {
  const read = (...chunks: (string | Buffer)[]) => {
    const reader = new LineReader();
    return [...chunks.flatMap((chunk) => reader.push(Buffer.from(chunk))), ...reader.end()];
  };

  it('ends lines at \\n, \\r\\n and a lone \\r, and at nothing else', () => {
    expect(read('a\nb\r\nc\rd\u2028e\u0085f\n\ng')).toEqual(['a', 'b', 'c', 'd\u2028e\u0085f', '', 'g']);
  });

  it('gives the same lines however the bytes are cut', () => {
    const bytes = [...Buffer.from('a\r\n€\r\r\n#b')].map((byte) => Buffer.from([byte]));
    expect(read(...bytes)).toEqual(['a', '€', '', '#b']);
  });
});

describe('parseActionCommand', () => {
  it('reads the :: form with properties and undoes the escapes, %25 last', () => {
    expect(parse('\u3000 ::error file=a%2Cb.ts, line=3,title=x%3Ay::1%0D%0A2 %250A ]')).toEqual({
      command: 'error',
      properties: { file: 'a,b.ts', ' line': '3', title: 'x:y' },
      message: '1\r\n2 %0A ]',
      syntax: 'v2',
    });
  });

  it('reads the ##[ form anywhere in a line, with its own separators and escapes', () => {
    expect(parse('2026-06-18 log: ##[error file=a%3Bb;line=3]m%5D%0A')).toEqual({
      command: 'error',
      properties: { file: 'a;b', line: '3' },
      message: 'm]\n',
      syntax: 'v1',
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
  ])('takes %j for text: %s', (line) => {
    expect(parse(line)).toBeUndefined();
  });
});

describe('interpretConsole', () => {
  it.each([
    ['a lone \\r starts a line', 'progress 50%\r::set-output name=x::forged\n'],
    ['##[ in the middle of a line', 'harmless text ##[set-output name=x]forged\n'],
    ['white space before ::', '\u00a0\t::set-output name=x::forged\n'],
    ['another case', '::Set-Output NAME=x::forged\n'],
  ])('lets output be forged: %s', (_, text) => {
    const reading = interpretConsole(text);
    expect(reading.outputs).toEqual({ x: 'forged' });
    expect(reading.forged).toMatchObject([{ message: 'forged', effect: 'deprecated' }]);
    expect(reading.lines.join()).not.toContain('forged');
  });

  it('does not take %0A in text for a line end, nor in a message for a new command', () => {
    const reading = interpretConsole('a%0A::set-output name=x::y\n::error::m%0A::set-output name=x::y\n');
    expect(reading.outputs).toEqual({});
    expect(reading.commands.map((one) => one.command)).toEqual(['error']);
    expect(reading.lines).toEqual(['a%0A::set-output name=x::y', '##[error]m', '::set-output name=x::y']);
  });

  it('carries save-state out and fails the step for set-env, add-path and a nameless set-output', () => {
    const reading = interpretConsole('::save-state name=s::v\n::set-env name=A::b\n##[add-path]/x\n::set-output::v\n');
    expect(reading.state).toEqual({ s: 'v' });
    expect(reading.forged.map(({ command, effect }) => [command, effect])).toEqual([
      ['save-state', 'deprecated'],
      ['set-env', 'refused'],
      ['add-path', 'refused'],
      ['set-output', 'refused'],
    ]);
    expect(reading.failed).toBe(true);
    expect(reading.annotations[1]?.message).toContain('The `set-env` command is disabled');
  });

  it('leaves commands alone between stop-commands and its token, whatever the stream', () => {
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
    expect(reading.stopped).toBe(false);
    // Added as a secret before the line is shown, and compared case by case there.
    expect(reading.lines).toEqual([
      '::stop-commands::***',
      '::error::no',
      '##[set-output name=x]no',
      '::t0KEN-42::',
      '##[error]yes',
    ]);
    expect(interpretConsole('::stop-commands::abc\n').stopped).toBe(true);
  });

  it.each(['', 'error', 'Pause-Logging'])('refuses the stop token %j', (token) => {
    const reading = interpretConsole(`::stop-commands::${token}\n::error::still read\n`);
    expect(reading.failed).toBe(true);
    expect(reading.annotations.at(-1)?.message).toBe('still read');
  });

  it('masks later text, encodings and each line of a secret; not what came before', () => {
    const reading = interpretConsole(
      'hunter2\n::add-mask::hunter2%0Asecond line\nhunter2hunter2 and second line\naHVudGVyMgpzZWNvbmQgbGluZQ==\n::error::hunter2\n',
    );
    expect(reading.lines).toEqual(['hunter2', '*** and ***', '***', '##[error]***']);
    expect(reading.annotations[0]?.message).toBe('***');
    expect(reading.masks).toEqual(['hunter2\nsecond line', 'hunter2', 'second line']);
  });

  it('keeps ten annotations of a level, each of 4,096 characters at most', () => {
    const reading = interpretConsole(`${'::error::x\n'.repeat(12)}::warning::${'y'.repeat(5000)}\n`);
    expect(reading.annotations.filter((one) => one.level === 'error')).toHaveLength(10);
    expect(reading.annotations.at(-1)?.message).toHaveLength(4096);
    expect(reading.lines).toHaveLength(13);
  });

  it("defuses the runner's own markers", () => {
    expect(interpretConsole('##[start-action x]##[end-action y]\n').lines).toEqual([
      '##[\\start-action x]##[\\end-action y]',
    ]);
  });
});
