import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { entryOf, withEntry, withLinks } from '../../src/error-codes.ts';
import { anchorsOf } from '../support/documents/markdown.ts';
import { ROOT, read } from '../support/documents/pages.ts';

const page = read('TROUBLESHOOTING.md');
const entries = page.split('<!-- errors -->')[1]?.split('<!-- /errors -->')[0] ?? '';
const files = globSync('src/**/*.ts', { cwd: ROOT }).map(read);
/** The error codes in the sources. */
const codes = [...new Set(files.join('\n').match(/(?<=')PRA-[A-Z0-9]+-\d\d(?=')/g))].toSorted();

/** Beginnings of messages whose noun is filled in at run time. */
const FILLED_IN = ['run the workflow', 'read the Docker context', 'remove container', 'remove network'];

/** Every entry: a heading with a table below, or a list item of names, causes and remedy, each on its line. */
const told = entries.split('\n').flatMap((line, index, lines) => {
  if (!line.includes('<a id="pra-')) return [];
  if (line.startsWith('- ')) {
    const parts = line.slice(2).split('<br>');
    return parts.slice(0, -2).map((name) => ({ name, cells: parts.slice(-2) }));
  }
  const below = lines.slice(index + 3, index + 9).filter((row) => row.startsWith('|'));
  return [{ name: `${line}${lines[index + 2]}`, cells: below.length > 2 ? below.slice(0, 2) : [] }];
});

describe('the entries of TROUBLESHOOTING.md', () => {
  it('match the error codes, each once', () => {
    expect(told.map(({ name }) => /PRA-[A-Z0-9]+-\d\d/.exec(name)?.[0]).toSorted()).toEqual(codes);
  });

  it('have their code as anchor, and begin like the messages with that code', () => {
    const form = /^<a id="(.+)"><\/a>(?:\*\*(PRA-.+?)\*\*|### (PRA-.+?): (?:Failed to )?)(.+)$/;
    for (const { name } of told) {
      const [, anchor, inTable, inHeading, beginning = ''] = form.exec(name) ?? [];
      const code = inTable ?? inHeading;
      expect(anchor).toBe(code?.toLowerCase());
      const said = files.filter((text) => text.includes(`'${code}'`)).join('\n');
      const parts = beginning.split(/…|[:()]/).map((part) => part.trim());
      expect(parts.filter((part) => !said.includes(part) && !FILLED_IN.includes(part))).toEqual([]);
    }
  });

  it('are where the links lead', () => {
    const anchors = anchorsOf(page);
    const linked = codes.map((code) => entryOf(code, '').slice(1) ?? '');
    expect(linked.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
    expect(new Set(anchors).size).toBe(anchors.length);
  });

  it('each say why and what to do', () => {
    const lacking = told.filter(({ cells }) => cells.length !== 2 || cells.includes(''));
    expect(lacking.map(({ name }) => name)).toEqual([]);
  });
});

describe('an error code', () => {
  it('follows the message, on its own line after a list', () => {
    const list = "Failed to load the agent's configuration: 1 problem. Correct what is listed:\n  a";
    expect(withEntry(list, 'PRA-CONFIG-01')).toBe(`${list}\nSee PRA-CONFIG-01`);
    expect(withEntry('Failed to look up x: no. Do.', 'PRA-NET-01')).toBe(
      'Failed to look up x: no. Do. See PRA-NET-01',
    );
    expect(withEntry('The workflow ran.', undefined)).toBe('The workflow ran.');
  });

  it('is followed by the address of its entry if the page is known', () => {
    const text = 'No. See PRA-NET-01\nSee PRA-K8S-02';
    expect(withLinks(text, 'https://x/T.md')).toBe(
      'No. See PRA-NET-01: https://x/T.md#pra-net-01\nSee PRA-K8S-02: https://x/T.md#pra-k8s-02',
    );
    expect(withLinks(text, undefined)).toBe(text);
  });
});
