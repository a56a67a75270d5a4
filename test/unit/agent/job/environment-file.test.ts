import { expect, it } from 'vitest';
import { notesOn } from '../../../../src/agent/job/environment-file.ts';

it.each([
  ['KEY=value\r\nOTHER=a"b"\n\n# a comment\n  # another\n \nEMPTY=\n', []],
  ['export KEY=v', [1]],
  ['KEY=\'v\'\nKEY="a\nb"\nno separator\n=v\n1KEY=v\nKEY=a\0b', [1, 2, 3, 4, 5, 6, 7]],
])('the odd lines of %j have notes that name them alone', (written, lines) => {
  const notes = notesOn(written, '');
  expect(notes.map((note) => Number(/^Line (\d+) of PULUMI_ENV /.exec(note)?.[1]))).toEqual(lines);
});

it('a line that an earlier step wrote has no second note, unless it has changed', () => {
  const before = 'A=1\nexport B=2\nC="3';
  expect(notesOn(`${before}\nexport D=4\n`, before)).toEqual([expect.stringMatching(/^Line 4 /)]);
  expect(notesOn(`${before}3"\n`, before)).toEqual([expect.stringMatching(/^Line 3 /)]);
});

it('a certificate has ten notes and a count', () => {
  const notes = notesOn(`KEY=-----BEGIN\n${'MIIEcanary\n'.repeat(50)}`, '');
  expect(notes).toHaveLength(11);
  expect(notes.at(-1)).toBe('40 other lines of PULUMI_ENV are like these.');
  expect(notes.join()).not.toContain('canary');
});
