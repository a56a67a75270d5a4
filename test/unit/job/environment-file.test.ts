import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEnvironmentFile } from '../../../src/job/environment.ts';

describe('an environment file', () => {
  it.each<[string, Record<string, string>]>([
    ['', {}],
    ['\n\n \n', {}],
    ['KEY=value', { KEY: 'value' }],
    ['KEY=value\n', { KEY: 'value' }],
    ['KEY=value\r\nOTHER=2\r\n', { KEY: 'value', OTHER: '2' }],
    ['KEY=a=b==', { KEY: 'a=b==' }],
    ['KEY=', { KEY: '' }],
    ['KEY= a b ', { KEY: ' a b ' }],
    [' KEY =v', { KEY: 'v' }],
    ['# KEY=value\n#OTHER=1\n  # THIRD=1', {}],
    ['KEY="quoted # not a comment"', { KEY: '"quoted # not a comment"' }],
    ['KEY=1\nKEY=2', { KEY: '2' }],
    ['no separator\n=value\nKEY', {}],
    ['1KEY=v\nA-B=v\nA B=v\nA.B=v\nexport KEY=v\nÄ=v', {}],
    ['_a1=v', { _a1: 'v' }],
    ['KEY=a\0b\nGOOD=1', { GOOD: '1' }],
    ['KEY=ü → 𝄞', { KEY: 'ü → 𝄞' }],
    ['KEY=a\rb', { KEY: 'ab' }],
  ])('of %j is %j', (text, expected) => {
    expect(parseEnvironmentFile(text)).toEqual(expected);
  });

  it('gives back whatever a shell wrote, and never a variable that no process can take', () => {
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/).filter((text) => text !== '__proto__');
    const value = fc.string({ unit: 'binary' }).filter((text) => !/[\0\r\n]/.test(text));
    fc.assert(
      fc.property(fc.dictionary(name, value, { noNullPrototype: true }), fc.string(), (variables, junk) => {
        const text = Object.entries(variables).map(([key, text]) => `${key}=${text}\n`);
        expect(parseEnvironmentFile(text.join(''))).toEqual(variables);
        for (const [key, text] of Object.entries(parseEnvironmentFile(junk))) {
          expect(key).toMatch(/^[A-Za-z_]\w*$/);
          expect(text).not.toMatch(/[\0\n]/);
        }
      }),
    );
  });
});
