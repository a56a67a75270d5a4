import { expect, it } from 'vitest';
import { configuredSecrets } from '../../../../src/base/log/configured-secrets.ts';

const NONE = { envForwardAllowlist: [], secretVariables: [] };

it('the agent’s own tokens and what it forwards are secrets before any job is known, but for plain values', () => {
  const settings = {
    token: 'pul-pool',
    accessToken: 'pul-access',
    envForwardAllowlist: ['DB', 'PATH', 'ABSENT'],
    secretVariables: [],
  };
  const environment = { DB: 'correct horse', PATH: '/usr/bin:/bin', OTHER: 'not forwarded' };
  expect(configuredSecrets(settings, environment).toSorted()).toEqual([
    'correct horse',
    'pul-access',
    'pul-pool',
  ]);
  expect(
    configuredSecrets({ ...NONE, envForwardAllowlist: ['PATH'], secretVariables: ['PATH'] }, environment),
  ).toEqual(['/usr/bin:/bin']);
});

it('so are the secrets of the deployments that it starts', () => {
  const triggerSettings = { operationContext: { environmentVariables: { TOKEN: { secret: 'token-1' } } } };
  expect(new Set(configuredSecrets({ ...NONE, triggerSettings }, {}))).toEqual(new Set(['token-1']));
});
