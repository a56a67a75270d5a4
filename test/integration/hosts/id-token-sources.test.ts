import { describe, expect, it } from 'vitest';
import { idTokenFromFlags } from '../../../src/ci-step/hosts/id-token-sources.ts';

const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';
const ENVIRONMENT = { PATH: process.env['PATH'], ID: `${TOKEN}\n`, NOTE: 'not a token' };
const signal = AbortSignal.timeout(20_000);
const tokenBy = (flags: Parameters<typeof idTokenFromFlags>[0]) =>
  idTokenFromFlags(flags, ENVIRONMENT)?.({ audience: 'urn:pulumi:org:acme' }, signal);

describe('an ID token whose source a flag names', () => {
  it('comes from the variable', async () => {
    expect(await tokenBy({ variable: 'ID' })).toBe(TOKEN);
  });

  it('comes from what the command prints, each time anew', async () => {
    expect(await tokenBy({ command: 'echo one >&2; echo "$ID"' })).toBe(TOKEN);
  });

  it.each([
    [{ variable: 'ABSENT' }, /the variable ABSENT is empty\. Check/],
    [{ variable: 'NOTE' }, /the variable NOTE has no JSON Web Token/],
    [{ command: 'echo no session >&2; exit 3' }, /failed: sh ended with exit code 3: no session\. Check/],
    [{ command: 'true' }, /the command of --identity-token-command is empty/],
  ])('that %j does not give is an auth-error that says so', async (flags, reason) => {
    await expect(tokenBy(flags)).rejects.toMatchObject({
      outcome: 'auth-error',
      code: 'PRA-AUTH-01',
      message: expect.stringMatching(reason),
    });
  });

  it('is not waited for once the CI job is cancelled', async () => {
    const cancel = new AbortController();
    const asking = idTokenFromFlags({ command: 'sleep 5' }, ENVIRONMENT)?.({ audience: 'a' }, cancel.signal);
    cancel.abort(new Error('cancelled'));
    await expect(asking).rejects.toThrow('cancelled');
  });

  it('is none without a flag', () => {
    expect(idTokenFromFlags({}, ENVIRONMENT)).toBeUndefined();
  });
});

describe('what a failing command printed', () => {
  const SECRETS = {
    BEARER: 'qv7Xd0pZk3mT9wLs2RbN8yHc4FgJ6uAe',
    SESSION_TOKEN: 'correct horse battery',
    PLAIN_WORDS: 'shown',
  };

  it.each([
    ['a bearer token of curl -v', 'echo "> Authorization: Bearer $BEARER" >&2'],
    ['a trace of the shell', 'set -x; : -H "Authorization: Bearer $BEARER"'],
    ['JSON over lines', `printf '{\n "access_token":\n "%s"\n}\n' "$BEARER" >&2`],
    ['a JSON Web Token', `echo "rejected: ${TOKEN}" >&2`],
    ['a credential of the environment, of words', 'echo "not accepted: $SESSION_TOKEN" >&2'],
    ['a header over two lines', `printf 'Authorization: Bearer\n%s\n' "$BEARER" >&2`],
  ])('never shows %s, and still the rest', async (_, script) => {
    const command = `echo "curl: (22) error 403" >&2; ${script}; exit 22`;
    const asked = idTokenFromFlags({ command }, { PATH: process.env['PATH'], ...SECRETS });
    const error: unknown = await asked?.({ audience: 'a' }, signal).catch((reason: unknown) => reason);
    const { message = '' } = error as Error;
    for (const secret of [SECRETS.BEARER, SECRETS.SESSION_TOKEN, TOKEN])
      expect(message).not.toContain(secret);
    expect(message).toMatch(/sh ended with exit code 22: /);
    if (!script.includes('\n')) expect(message).toContain('curl: (22) error 403');
  });
});
