import { describe, expect, it } from 'vitest';
import { CommandFileError, parseKeyValueFile } from '../../emulators/github/command-files.ts';

describe('a command file', () => {
  it('allows both forms, keeps \\r, lets the last value of a name win, and splits at the first equals sign', () => {
    const text = 'a=1=2\n\nb<<EOF\nx\r\n\ny<<z=\nEOF\nc<<E\nE\na=3\nd=e<<f';
    expect([...parseKeyValueFile(text)]).toEqual([
      ['a', '3'],
      ['b', 'x\r\n\ny<<z='],
      ['c', ''],
      ['d', 'e<<f'],
    ]);
  });

  it.each([
    ['no sign', "Invalid format 'no sign'"],
    ['<<E\n1\nE\n', 'Name must not be empty'],
    ['a<<\n1\n', 'delimiter must not be empty'],
    ['a<<E\n1\n2\n', "Matching delimiter not found 'E'"],
    ['a<<E\n1', 'EOF marker missing new line'],
  ])('is refused: %j', (text, sentence) => {
    expect(() => parseKeyValueFile(text)).toThrow(CommandFileError);
    expect(() => parseKeyValueFile(text)).toThrow(sentence);
  });
});
