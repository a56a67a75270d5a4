import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONTAINER_KEYS } from '../../src/config/keys/jobs.ts';
import { CAPABILITIES, PIDS_LIMIT } from '../../src/executor/docker/container/host-config.ts';
import { METADATA_ADDRESSES } from '../../src/executor/docker/container/network.ts';
import { manifestOf, ROOT, read, tableOf } from '../support/documents/pages.ts';

const page = read('docs/security.md');
const code = (text: string) => `\`${text}\``;

describe('the page on security', () => {
  it('leans on tests that are there', () => {
    const named = [...page.matchAll(/`(test\/[\w./-]+\.test\.ts)`\s+› ([^|)\n]+(?:\n(?=[^|]*\)\.)[^|)\n]+)?)/g)].map(
      ([, path = '', title = '']) => ({ path, title: title.replace(/\s+/g, ' ').trim() }),
    );
    expect(named).toHaveLength(page.split('.test.ts`').length - 1);
    expect(named.length).toBeGreaterThan(25);
    const missing = named.filter(({ path, title }) => {
      const words = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", "\\\\?'");
      return !existsSync(join(ROOT, path)) || !new RegExp(`\\(\\s*(['"\`])${words}\\1`).test(read(path));
    });
    expect(missing).toEqual([]);
  });

  it('lists the capabilities, the blocked addresses, and every limit with its input and its default', () => {
    expect(tableOf(page, 'capabilities').map(([name]) => name)).toEqual(Object.keys(CAPABILITIES).map(code));
    for (const address of METADATA_ADDRESSES) expect(page).toContain(address);
    const limits = tableOf(page, 'limits');
    const keys = Object.keys(CONTAINER_KEYS);
    expect(limits.map(([key, input]) => [key, input])).toEqual(
      keys.map((key) => [code(key), code(key.replaceAll('_', '-'))]),
    );
    const { inputs } = manifestOf('.');
    for (const key of keys) expect(inputs).toHaveProperty(key.replaceAll('_', '-'));
    for (const [index, definition] of Object.values(CONTAINER_KEYS).entries())
      if ('default' in definition && definition.default !== '')
        expect(limits[index]?.[2]).toBe(code(definition.default));
    expect(CONTAINER_KEYS.pids_limit.default).toBe(String(PIDS_LIMIT));
  });
});
