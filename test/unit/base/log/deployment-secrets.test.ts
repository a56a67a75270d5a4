import { expect, it } from 'vitest';
import { deploymentSecrets } from '../../../../src/base/log/configured-secrets.ts';

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

it('a password in plain text is a secret by its name, and a value by the mark beside it', () => {
  const secrets = deploymentSecrets({
    executorContext: { executorImage: { credentials: { username: 'shown', password: 'plain-1' } } },
    sourceContext: {
      git: {
        branch: 'shown',
        gitAuth: {
          accessToken: 'plain-2',
          basicAuth: { userName: { value: 'marked-1', isSecret: true }, password: { value: 'plain-3' } },
          sshAuth: { sshPrivateKey: 'plain-4', password: { Secret: { nested: 'marked-2' } } },
        },
      },
    },
    OperationContext: {
      EnvironmentVariables: {
        MARKED: { isSecret: true, value: 'marked-3' },
        OTHER: { isSecret: false, value: 'value-1' },
        LIST: ['value-2'],
      },
      oidc: { aws: { roleArn: 'shown', sessionName: 'shown', duration: '1h0m0s' } },
      options: { shell: 'shown', deleteAfterDestroy: true },
    },
    cacheOptions: {
      note: { value: 'shown', IsSecret: 'false' },
      other: { Value: 'marked-4', IsSecret: 'True' },
    },
    tokenSeconds: 3600,
  });

  const names = { plain: 4, marked: 4, value: 2 };
  const expected = Object.entries(names).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, index) => `${name}-${index + 1}`),
  );
  expect(new Set(secrets)).toEqual(new Set(expected));
});

it.each([undefined, {}, { operationContext: null }, { operationContext: { environmentVariables: 'x' } }])(
  'settings without secrets such as %j have none',
  (settings) => expect(deploymentSecrets(settings)).toEqual([]),
);
