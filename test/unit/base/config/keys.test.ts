import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CONFIG_KEYS, CONFIG_PROPERTIES, type ConfigKey } from '../../../../src/base/config/agent-config.ts';
import {
  definitionOf,
  environmentNames,
  environmentText,
  KEY_NAMES,
  KEYS,
} from '../../../../src/base/config/schema.ts';
import { ROOT, read } from '../../../support/documents/pages.ts';
import { CASES, type Case } from './key-cases.ts';
import { around, FILE, load, problems } from './sources.ts';

const cases = Object.entries(CASES) as [ConfigKey, Case][];

it('every key has a test case', () => {
  expect(Object.keys(CASES)).toEqual([...CONFIG_KEYS]);
});

it('every key has a property of its own, named after it with the unit of its kind', () => {
  const units = { duration: 'Ms', 'duration or seconds': 'Seconds', quantity: 'Bytes' };
  const names = Object.values(KEYS).map(({ key, kind }) => {
    const camel = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return `${camel}${units[kind.words as keyof typeof units] ?? ''}`;
  });
  expect(Object.keys(KEYS)).toEqual(names);

  // A spread lets the last of several rows with the same property win.
  const sources = globSync('src/base/config/keys/*.ts', { cwd: ROOT }).map(read).join('');
  const rows = [...sources.matchAll(/\bkey: '([a-z_]+)'/g)].map(([, key]) => key);
  expect(rows.toSorted()).toEqual(KEY_NAMES.toSorted());
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
    return preset === undefined ? [] : [[CONFIG_PROPERTIES[key], kind.schema.parse(preset)]];
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

it.each([
  ['unset if it is blank', ' \t', undefined],
  ['a path, by the folder in which the program starts', ' ca.pem ', '/start/ca.pem'],
  [
    'a text whose line breaks are written as \\n',
    '-----BEGIN CERTIFICATE-----\\nTQ==',
    '-----BEGIN CERTIFICATE-----\nTQ==',
  ],
])('a certificate alone is read from the environment: %s', (_, written, text) => {
  const environment = { PULUMI_AGENT_CA_CERTIFICATE: written };
  expect(environmentText(environment, 'ca_certificate', '/start')).toBe(text);
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
