import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OutcomeError } from '../../../src/base/outcome.ts';
import { githubHost } from '../../../src/ci-step/hosts/github/host.ts';
import { keepTokenFresh } from '../../../src/ci-step/token-file.ts';
import { captureStdout } from '../../support/hosts/captured-stdout.ts';
import { stepIn } from '../../support/hosts/step.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

test('a failing refresh is reported once and retried, until the file is fresh and private to this user', async () => {
  const stdout = captureStdout();
  const directory = await temporaryDirectory();
  const path = join(directory, 'id-token');
  const over = new AbortController();
  let asked = 0;
  const requestIdToken = async () => {
    asked++;
    if (asked < 3) throw new OutcomeError('auth-error', 'Refused.', { code: 'PRA-AUTH-01' });
    return 'fresh';
  };
  const host = { ...githubHost(stepIn(directory)), requestIdToken };
  const keeping = keepTokenFresh(host, { path, audience: 'x' }, over.signal, {
    firstMs: 50,
    everyMs: 50,
    retryMs: 5,
  });
  await expect.poll(() => readFile(path, 'utf8').catch(() => ''), { timeout: 20_000 }).toBe('fresh');
  over.abort();
  await keeping;
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(['id-token']);
  expect(asked).toBeGreaterThanOrEqual(3);
  expect(stdout.read().annotations.map(({ message }) => message)).toEqual(['Refused. See PRA-AUTH-01']);
});
