import { expect, it } from 'vitest';
import { deploymentSecrets } from '../../../src/log/deployment-secrets.ts';

it('every variable of a deployment’s settings is a secret, each marked value and each password in a URL', () => {
  const secrets = deploymentSecrets({
    sourceContext: {
      git: {
        branch: 'shown',
        repoUrl: 'https://x:pass-2@git.example.com/r',
        gitAuth: { sshAuth: { sshPrivateKey: { secret: 'key-1' } } },
      },
    },
    operationContext: {
      environmentVariables: {
        AWS_REGION: 'eu-west-1',
        TOKEN: { secret: 'token-1' },
        NUMBER: 123456,
        DATABASE: 'postgres://user:hunter22@db/state',
        SWITCH: 'true',
        SHORT: 'abc',
      },
      preRunCommands: ['shown'],
    },
    executorContext: {
      executorImage: { credentials: { username: 'shown', password: { secret: 'pass-1' } } },
    },
  });

  expect(new Set(secrets)).toEqual(
    new Set([
      ...['eu-west-1', 'token-1', '123456', 'key-1', 'pass-1', 'pass-2'],
      ...['postgres://user:hunter22@db/state', 'hunter22'],
    ]),
  );
});

it.each([undefined, {}, { operationContext: null }, { operationContext: { environmentVariables: 'x' } }])(
  'settings without secrets such as %j have none',
  (settings) => expect(deploymentSecrets(settings)).toEqual([]),
);
