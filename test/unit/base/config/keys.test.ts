import { expect, it } from 'vitest';
import { CONFIG_KEYS, type ConfigKey, propertyName } from '../../../../src/base/config/agent-config.ts';
import { definitionOf, environmentNames, KEY_NAMES } from '../../../../src/base/config/schema.ts';
import { CASES, type Case } from './key-cases.ts';
import { around, FILE, load, problems } from './sources.ts';

const cases = Object.entries(CASES) as [ConfigKey, Case][];

it('every key has a test case', () => {
  expect(Object.keys(CASES)).toEqual([...CONFIG_KEYS]);
  const named = (['service_url', 'max_wait', 'token_expiration', 'memory'] as const).map(propertyName);
  expect(named).toEqual(['serviceUrl', 'maxWaitMs', 'tokenExpirationSeconds', 'memoryBytes']);
});

it('every key has its default, even when it is set to nothing', () => {
  const blank = Object.fromEntries(KEY_NAMES.flatMap(environmentNames).map((name) => [name, '  ']));
  const text = KEY_NAMES.map((key, index) => `${key}: ${['""', '', '~', 'null', '" "'][index % 5]}\n`).join(
    '',
  );
  const { config } = load({ environment: { ...blank, PULUMI_AGENT_TOKEN: 'x' }, text });
  // docs/configuration.md lists the defaults; another test compares it with the table of keys.
  const defaults = CONFIG_KEYS.flatMap((key) => {
    const { default: preset, kind } = definitionOf(key);
    return preset === undefined ? [] : [[propertyName(key), kind.schema.parse(preset)]];
  });
  expect(config).toEqual({ ...Object.fromEntries(defaults), healthThresholdMs: 120_000, token: 'x' });
});

it('every key is read from the environment', () => {
  for (const [key, { property, good }] of cases) {
    for (const [written, value] of good) {
      const environment = { ...around(key), [environmentNames(key)[0] ?? '']: written };
      expect(load({ environment }).config[property], `${key}: ${written}`).toEqual(value);
    }
  }
});

it('every key is refused in the file if its value is bad, with its position', () => {
  for (const [key, { bad }] of cases) {
    for (const [written, clause] of bad) {
      const text = `# first\n\n${key}: ${JSON.stringify(written)}\n`;
      const said = [expect.stringContaining(`${FILE}:3:1: ${key} ${clause}`)];
      expect(problems({ environment: around(key), text }), `${key}: ${written}`).toEqual(said);
    }
  }
});

it('every key is in snake_case, with one line of help and environment variables of its own', () => {
  for (const key of KEY_NAMES) {
    expect(key).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(definitionOf(key).help).toMatch(/^[^\n]{10,100}\.\)?$/);
  }
  const variables = KEY_NAMES.flatMap(environmentNames);
  expect(new Set(variables).size).toBe(variables.length);
});
