import { describe, expect, it } from 'vitest';
import { configurationText } from '../../../src/agent/configure/configuration-text.ts';
import type { ConfigKey } from '../../../src/config/agent-config.ts';
import { definitionOf } from '../../../src/config/schema.ts';
import { CASES, type Case } from '../config/key-cases.ts';
import { around, load } from '../config/sources.ts';

describe.each(Object.entries(CASES) as [ConfigKey, Case][])('%s', (key, { property, good }) => {
  it.each(good)('as %j is read from the file as it is read from a flag', async (written, value) => {
    const text = await configurationText({ [key]: written }, '/current');
    const loaded = await load({ environment: around(key), text });
    expect(loaded.config[property]).toEqual(value);
    expect(loaded.origins[key]).toBe('file');
  });
});

it('writes paths that mean the same wherever the file is read from', async () => {
  const text = await configurationText({ oidc_token_file: 'tokens/id', run_directory: '/runs' }, '/current');
  expect(text).toContain('oidc_token_file: /current/tokens/id\n');
  expect(text).toContain('run_directory: /runs\n');
});

it('writes switches, numbers and lists as such, in the order of the table of keys', async () => {
  const settings = {
    max_wait: '0s',
    env_forward_allowlist: 'B, A',
    http_server_port: '0',
    single_run: 'true',
    token: 't',
  };
  const text = await configurationText(settings, '/current');
  expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
    'token: t',
    'single_run: true',
    'env_forward_allowlist:',
    '  - B',
    '  - A',
    'http_server_port: 0',
    'max_wait: 0s',
  ]);
  expect(definitionOf('http_server_port').type).toBe('port');
});
