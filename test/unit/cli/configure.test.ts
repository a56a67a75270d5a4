import { expect, it } from 'vitest';
import type { ConfigKey } from '../../../src/base/config/agent-config.ts';
import { configurationText } from '../../../src/cli/configure.ts';
import { CASES, type Case } from '../base/config/key-cases.ts';
import { around, load } from '../base/config/sources.ts';

it('configure writes a file that is read with the same values', () => {
  for (const [key, { property, good }] of Object.entries(CASES) as [ConfigKey, Case][])
    for (const [written, value] of good) {
      const text = configurationText({ [key]: written }, '/current');
      expect(load({ environment: around(key), text }).config[property], key).toEqual(value);
    }
});

it('configure writes paths that mean the same wherever the file is read from', () => {
  const text = configurationText(
    {
      ...{ oidc_token_file: 'tokens/id', run_directory: '/runs' },
      ...{ ca_certificate: 'ca.pem', pod_template: 'pod.yaml', engine_public_key: 'cosign.pub' },
    },
    '/current',
  );
  expect(text).toContain('oidc_token_file: /current/tokens/id\n');
  expect(text).toContain('run_directory: /runs\n');
  for (const path of ['ca.pem', 'pod.yaml', 'cosign.pub']) expect(text).toContain(`: /current/${path}\n`);
});

it('configure writes switches, numbers and lists as such, in the order of the table of keys', () => {
  const settings = {
    max_wait: '0s',
    env_forward_allowlist: 'B, A',
    http_server_port: '0',
    single_run: 'true',
    token: 't',
  };
  const text = configurationText(settings, '/current');
  expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
    'token: t',
    'single_run: true',
    'env_forward_allowlist:',
    '  - B',
    '  - A',
    'http_server_port: 0',
    'max_wait: 0s',
  ]);
});
