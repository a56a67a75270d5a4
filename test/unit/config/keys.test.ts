import { describe, expect, it } from 'vitest';
import { CONFIG_KEYS, type ConfigKey, propertyName } from '../../../src/config/agent-config.ts';
import { definitionOf, environmentNames, KEY_NAMES } from '../../../src/config/schema.ts';
import { CASES, type Case } from './key-cases.ts';
import { around, FILE, load, problems } from './sources.ts';

describe.each(Object.entries(CASES) as [ConfigKey, Case][])('%s', (key, { property, default: preset, good, bad }) => {
  const variable = environmentNames(key)[0] ?? '';
  const flag = `--${key.replaceAll('_', '-')}`;

  it(`is ${JSON.stringify(preset)} by default`, async () => {
    const environment = key === 'token' ? around('oidc_token_file') : around('token');
    const needed =
      key === 'token' ? { ...environment, PULUMI_AGENT_OIDC_TOKEN_FILE: '/t' } : { PULUMI_AGENT_TOKEN: 'x' };
    const { config, origins } = await load({ environment: needed });
    expect(config[property]).toEqual(preset);
    expect(Object.hasOwn(config, property)).toBe(preset !== undefined);
    expect(origins[key]).toBe('default');
    expect(propertyName(key)).toBe(property);
  });

  it.each(good)('reads %j from environment, file and flag', async (written, value) => {
    const environment = around(key);
    const fromEnvironment = await load({ environment: { ...environment, [variable]: written } });
    expect([fromEnvironment.config[property], fromEnvironment.origins[key]]).toEqual([value, 'environment']);

    const fromFile = await load({ environment, text: `${key}: ${JSON.stringify(written)}\n` });
    expect([fromFile.config[property], fromFile.origins[key]]).toEqual([value, 'file']);
    const plain = await load({ environment, text: `${key}:   ${written.trim()}   # a comment\n` });
    expect(plain.config[property]).toEqual(value);

    const fromFlag = await load({ environment, overrides: { [key]: written } });
    expect([fromFlag.config[property], fromFlag.origins[key]]).toEqual([value, 'override']);

    const preset = await load({ environment, defaults: { [key]: written } });
    expect([preset.config[property], preset.origins[key]]).toEqual([value, 'default']);
  });

  it.each(bad)('refuses %j wherever it stands, and says where', async (written, clause) => {
    const environment = around(key);
    expect(await problems({ environment: { ...environment, [variable]: written } })).toEqual([
      expect.stringContaining(`${variable} ${clause}`),
    ]);
    expect(await problems({ environment, text: `# first\n\n${key}: ${JSON.stringify(written)}\n` })).toEqual([
      expect.stringContaining(`${FILE}:3:1: ${key} ${clause}`),
    ]);
    expect(await problems({ environment, overrides: { [key]: written } })).toEqual([
      expect.stringContaining(`${flag} ${clause}`),
    ]);
    expect(await problems({ environment, defaults: { [key]: written } })).toEqual([
      expect.stringContaining(`the default of ${key} ${clause}`),
    ]);
  });

  it('is unset by blank text and null', async () => {
    const base =
      key === 'token' ? { ...around('oidc_token_file'), PULUMI_AGENT_OIDC_TOKEN_FILE: '/t' } : around('token');
    const environment = { ...base, ...(key === 'token' ? {} : { PULUMI_AGENT_TOKEN: 'x' }), [variable]: '  ' };
    for (const nothing of ['""', '', '~', 'null', '" "']) {
      const { config, origins } = await load({ environment, overrides: { [key]: '' }, text: `${key}: ${nothing}\n` });
      expect([config[property], origins[key]]).toEqual([preset, 'default']);
    }
  });
});

it('has a case for every key', () => {
  expect(Object.keys(CASES)).toEqual([...CONFIG_KEYS]);
});

it('names every key in snake_case, with one line of help, and no two of one variable', () => {
  for (const key of KEY_NAMES) {
    expect(key).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(definitionOf(key).help).toMatch(/^[^\n]{10,100}\.\)?$/);
  }
  const variables = KEY_NAMES.flatMap(environmentNames);
  expect(new Set(variables).size).toBe(variables.length);
});
