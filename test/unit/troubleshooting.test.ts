import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, entryOf, withEntry, withLinks } from '../../src/error-codes.ts';
import { anchorsOf, headingsOf } from '../support/documents/markdown.ts';
import { ROOT, read } from '../support/documents/pages.ts';

const page = read('TROUBLESHOOTING.md');
const entries = page.split('<!-- errors -->')[1]?.split('<!-- /errors -->')[0] ?? '';
const sources = globSync('src/**/*.ts', { cwd: ROOT })
  .filter((path) => path !== join('src', 'error-codes.ts'))
  .map(read)
  .join('\n');

describe('the entries of TROUBLESHOOTING.md', () => {
  it('are those of the error codes, in their order', () => {
    const headings = headingsOf(entries).filter((heading) => heading.startsWith('PRA-'));
    expect(headings).toEqual(Object.entries(ERROR_CODES).map(([code, beginning]) => `${code}: ${beginning}`));
  });

  it('are found where the links lead', () => {
    const anchors = anchorsOf(page);
    const linked = Object.keys(ERROR_CODES).map((code) => entryOf(code, '').slice(1) ?? '');
    expect(linked.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
    expect(new Set(anchors).size).toBe(anchors.length);
  });

  it('each say what it means, its causes, what to do and where to look', () => {
    const parts = entries.split(/^### /m).filter((part) => part.startsWith('PRA-'));
    const lacking = parts.filter(
      (part) => !['**Means**', '**Causes**', '**Do**', '**See**'].every((word) => part.includes(word)),
    );
    expect(lacking.map((part) => part.split('\n')[0])).toEqual([]);
  });

  it('are about what the sources say still', () => {
    expect(Object.keys(ERROR_CODES).filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
  });
});

describe('the code', () => {
  it('stands behind the message, on its own line below a list', () => {
    const list = "Failed to load the agent's configuration: 1 problem. Correct what is listed:\n  a";
    expect(withEntry(list, 'PRA-CONFIG-01')).toBe(`${list}\nSee PRA-CONFIG-01`);
    expect(withEntry('Failed to look up x: no. Do.', 'PRA-NET-01')).toBe('Failed to look up x: no. Do. See PRA-NET-01');
    expect(withEntry('The workflow ran.', undefined)).toBe('The workflow ran.');
  });

  it('is followed by the address of its entry where the page is known', () => {
    const text = 'No. See PRA-NET-01\nSee PRA-K8S-02';
    expect(withLinks(text, 'https://x/T.md')).toBe(
      'No. See PRA-NET-01: https://x/T.md#pra-net-01\nSee PRA-K8S-02: https://x/T.md#pra-k8s-02',
    );
    expect(withLinks(text, undefined)).toBe(text);
  });
});
