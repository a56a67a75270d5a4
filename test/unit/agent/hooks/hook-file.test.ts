import { describe, expect, it } from 'vitest';
import { parseHookFile } from '../../../../src/agent/hooks/hook-file.ts';

describe('the file that a hook writes', () => {
  it('gives its variables, and hides each of its lines but plain ones, and values that later ones replace', () => {
    const text = 'A=first\r\n# note\n\n  B=x=y\nA=3\nAWS_REGION=eu-west-1\n';
    const { variables, quotable, broken } = parseHookFile(text);
    expect({ variables, broken }).toEqual({
      variables: { A: '3', B: 'x=y', AWS_REGION: 'eu-west-1' },
      broken: undefined,
    });
    expect(quotable).toEqual(expect.arrayContaining(['A=first', 'first', '# note', 'B=x=y', 'A=3']));
    expect(quotable.join()).not.toContain('eu-west-1');
  });

  it.each([
    ['a value of several lines', 'KEY=-----BEGIN\nc2VjcmV0\n-----END\n', 2, ['c2VjcmV0', '-----END']],
    ['export', 'A=1\nexport KEY="hidden one"\n', 2, ['hidden one', '"hidden one"', '1']],
    ['no name', '=hidden', 1, ['hidden']],
    ['a name that no shell can read', 'A-B=hidden', 1, ['hidden']],
    ['a NUL', 'A=hid\0den', 1, ['A=hid\0den']],
  ])('is broken by %s, gives nothing, and hides all of it', (_, text, line, hidden) => {
    const { variables, quotable, broken } = parseHookFile(text);
    expect(variables).toEqual({});
    expect(broken).toMatchObject({
      outcome: 'refused',
      code: 'PRA-JOB-13',
      message: expect.stringContaining(`line ${line} of the file $PULUMI_RUNNER_ENV is not NAME=VALUE`),
    });
    expect(quotable).toEqual(expect.arrayContaining(hidden));
  });
});
