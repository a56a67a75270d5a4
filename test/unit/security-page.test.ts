import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CONTAINER_KEYS } from '../../src/config/keys/jobs.ts';
import { CAPABILITIES, PIDS_LIMIT } from '../../src/executor/docker/container/host-config.ts';
import { METADATA_ADDRESSES } from '../../src/executor/docker/container/network.ts';
import { AGENT_INPUTS } from '../../src/hosts/github/inputs.ts';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
const named = [...page.matchAll(/`(test\/[\w./-]+\.test\.ts)`\s+› ([^|)\n]+(?:\n(?=[^|]*\)\.)[^|)\n]+)?)/g)].map(
  ([, path = '', title = '']) => [path, title.replace(/\s+/g, ' ').trim()] as const,
);

/** The rows between `<!-- name -->` and `<!-- /name -->`, cell by cell, without the header. */
function table(name: string): string[][] {
  const text = page.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0] ?? '';
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const code = (text: string) => `\`${text}\``;

it('the page on security names every test that it leans on', () => {
  expect(named).toHaveLength(page.split('.test.ts`').length - 1);
  expect(named.length).toBeGreaterThan(25);
});

it.each(named)('the page on security leans on a test that is there: %s › %s', (path, title) => {
  expect(existsSync(join(ROOT, path)), path).toBe(true);
  const text = readFileSync(join(ROOT, path), 'utf8');
  const words = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", "\\\\?'");
  expect(new RegExp(`\\(\\s*(['"\`])${words}\\1`).test(text), `${path} has no test "${title}"`).toBe(true);
});

it('the page on security lists the capabilities that jobs have, and no other', () => {
  expect(table('capabilities').map(([name]) => name)).toEqual(Object.keys(CAPABILITIES).map(code));
});

it('the page on security lists every setting of what a job may use, with its input and its default', () => {
  const inputOf = (key: string) => Object.entries(AGENT_INPUTS).find(([, value]) => value === key)?.[0] ?? '';
  expect(table('limits').map(([key, input]) => [key, input])).toEqual(
    Object.keys(CONTAINER_KEYS).map((key) => [code(key), code(inputOf(key))]),
  );
  const presets = Object.fromEntries(table('limits').map(([key = '', , preset = '']) => [key.slice(1, -1), preset]));
  for (const [key, definition] of Object.entries(CONTAINER_KEYS)) {
    if ('default' in definition && definition.default !== '') expect(presets[key]).toBe(code(definition.default));
  }
  expect(CONTAINER_KEYS.pids_limit.default).toBe(String(PIDS_LIMIT));
});

it('the page on security names every address that is blocked', () => {
  for (const address of METADATA_ADDRESSES) expect(page).toContain(address);
});
