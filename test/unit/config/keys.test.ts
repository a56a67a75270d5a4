import { expect, it } from 'vitest';
import { CONFIG_KEYS, type ConfigKey, propertyName } from '../../../src/config/agent-config.ts';
import { definitionOf, environmentNames, KEY_NAMES } from '../../../src/config/schema.ts';
import { CASES, type Case } from './key-cases.ts';
import { around, FILE, load, problems } from './sources.ts';

const cases = Object.entries(CASES) as [ConfigKey, Case][];

it.each(cases)('%s has its default, also when it is set to nothing', (key, { property, default: preset }) => {
  const environment =
    key === 'token'
      ? { ...around('oidc_token_file'), PULUMI_AGENT_OIDC_TOKEN_FILE: '/t' }
      : { PULUMI_AGENT_TOKEN: 'x' };
  const blank = { ...environment, [environmentNames(key)[0] ?? '']: '  ' };
  for (const text of [undefined, ...['""', '', '~', 'null', '" "'].map((nothing) => `${key}: ${nothing}\n`)]) {
    const { config } = load({ environment: blank, overrides: { [key]: '' }, text });
    expect(config[property]).toEqual(preset);
    expect(Object.hasOwn(config, property)).toBe(preset !== undefined);
  }
  expect(propertyName(key)).toBe(property);
});

it.each(cases)('%s is read from environment, file, flag and default', (key, { property, good }) => {
  const environment = around(key);
  for (const [written, value] of good) {
    for (const given of [
      { environment: { ...environment, [environmentNames(key)[0] ?? '']: written } },
      { environment, text: `${key}: ${JSON.stringify(written)}\n` },
      { environment, text: `${key}:   ${written.trim()}   # a comment\n` },
      { environment, overrides: { [key]: written } },
      { environment, defaults: { [key]: written } },
    ])
      expect(load(given).config[property]).toEqual(value);
  }
});

it.each(cases)('%s is refused wherever it stands, and the message says where', (key, { bad }) => {
  const environment = around(key);
  const variable = environmentNames(key)[0] ?? '';
  for (const [written, clause] of bad) {
    const said = [
      problems({ environment: { ...environment, [variable]: written } }),
      problems({ environment, text: `# first\n\n${key}: ${JSON.stringify(written)}\n` }),
      problems({ environment, overrides: { [key]: written } }),
      problems({ environment, defaults: { [key]: written } }),
    ];
    const places = [variable, `${FILE}:3:1: ${key}`, `--${key.replaceAll('_', '-')}`, `the default of ${key}`];
    expect(said).toEqual(places.map((place) => [expect.stringContaining(`${place} ${clause}`)]));
  }
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
