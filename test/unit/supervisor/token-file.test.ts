import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { githubHost } from '../../../src/hosts/github/host.ts';
import { OutcomeError } from '../../../src/outcome.ts';
import { keepTokenFresh, refreshDelay, writeToken } from '../../../src/supervisor/token-file.ts';
import { captureStdout } from '../../support/hosts/captured-stdout.ts';
import { stepIn } from '../../support/hosts/step.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const token = (claims: object) => `a.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c`;

test('the token file is readable by this user alone, and nothing else is left', async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, 'id-token');
  await writeToken(path, 'first');
  await writeToken(path, 'second');
  expect(await readFile(path, 'utf8')).toBe('second');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(['id-token']);
});

describe('a token is refreshed after 60 % of its life', () => {
  test('by its own times, whatever this machine’s clock says', () => {
    const made = Date.parse('2026-06-18T10:00:00Z') / 1000;
    for (const hours of [-1, 0, 1])
      expect(refreshDelay(token({ iat: made, exp: made + 300 }), (made + hours * 3_600) * 1000)).toBe(180_000);
    // No timer waits for ever.
    expect(refreshDelay(token({ iat: 0, exp: made }), Date.now())).toBe(3_600_000);
  });

  test('by this machine’s clock where it doesn’t say when it was made, and by a guess where it says nothing', () => {
    const now = Date.parse('2026-06-18T10:00:00Z');
    expect(refreshDelay(token({ exp: now / 1000 + 300 }), now)).toBe(180_000);
    expect(refreshDelay(token({ exp: now / 1000 - 10 }), now)).toBe(1_000);
    for (const odd of ['', 'a.b.c', `a.${btoa('null')}.c`, token({ exp: 'x' })])
      expect(refreshDelay(odd, now)).toBe(180_000);
  });
});

test('a failing refresh is shown once and tried again, until the file is fresh', async () => {
  const stdout = captureStdout();
  const directory = await temporaryDirectory();
  const path = join(directory, 'id-token');
  const over = new AbortController();
  const fresh = token({ iat: 0, exp: 3_600 });
  let asked = 0;
  const identityToken = async () => {
    asked++;
    if (asked < 3) throw new OutcomeError('auth-error', 'Refused.', { code: 'PRA-AUTH-01' });
    return fresh;
  };
  const host = { ...githubHost(stepIn(directory)), identityToken };
  const keeping = keepTokenFresh(host, { path, audience: 'x' }, token({ iat: 10, exp: 9 }), over.signal, 5);
  await expect.poll(() => readFile(path, 'utf8').catch(() => ''), { timeout: 20_000 }).toBe(fresh);
  over.abort();
  await keeping;
  expect(asked).toBe(3);
  expect(stdout.read().annotations.map(({ message }) => message)).toEqual(['Refused. See PRA-AUTH-01']);
});
