import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { entryOf, withEntry, withLinks } from '../../src/base/error-codes.ts';
import { anchorsOf } from '../support/documents/markdown.ts';
import { ROOT, read } from '../support/documents/pages.ts';

const page = read('TROUBLESHOOTING.md');
const entries = page.split('<!-- errors -->')[1]?.split('<!-- /errors -->')[0] ?? '';
const files = globSync('src/**/*.ts', { cwd: ROOT }).map(read);
/** The error codes in the sources. */
const codes = [...new Set(files.join('\n').match(/(?<=')PRA-[A-Z0-9]+-\d\d(?=')/g))].toSorted();

/** Beginnings of messages whose noun is filled in at run time. */
const FILLED_IN = ['run the deployment', 'read the Docker context', 'remove container', 'remove network'];

/** Every entry: its heading, and cause and fix, which follow the last heading of several. */
const blocks = entries.split(/^(?=<a id="pra-)/m).slice(1);
const told = blocks.map((block, index) => {
  const [name = ''] = /^<a id=.*\n\n#+ .*$/m.exec(block) ?? [];
  const bodyOf = (each: string) =>
    each
      .split(/^#{2,4} /m)[1]
      ?.split('\n')
      .slice(1)
      .join('\n')
      .trim() ?? '';
  const body = blocks.slice(index).map(bodyOf).find(Boolean) ?? '';
  const [, cause = '', fix = ''] = /^\*\*Cause:\*\* ([\s\S]+?)\n\n\*\*Fix:\*\* ([\s\S]+)$/.exec(body) ?? [];
  return { name: name.replace(/\n+#+/, ''), cells: [cause, fix] };
});

describe('the entries of TROUBLESHOOTING.md', () => {
  it('match the error codes, each once', () => {
    expect(told.map(({ name }) => /PRA-[A-Z0-9]+-\d\d/.exec(name)?.[0]).toSorted()).toEqual(codes);
  });

  it('have their code as anchor, and begin like the messages with that code', () => {
    const form = /^<a id="(.+)"><\/a> (PRA-.+?): (?:Failed to )?(.+)$/;
    for (const { name } of told) {
      const [, anchor, code, beginning = ''] = form.exec(name) ?? [];
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
    const lacking = told.filter(({ cells }) => cells.includes(''));
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
    expect(withEntry('Failed to look up x: use --name NAME', 'PRA-NET-01')).toBe(
      'Failed to look up x: use --name NAME. See PRA-NET-01',
    );
    expect(withEntry('Failed to look up x: it is too lo…', 'PRA-NET-01')).toBe(
      'Failed to look up x: it is too lo… See PRA-NET-01',
    );
    expect(withEntry('The deployment ran.', undefined)).toBe('The deployment ran.');
  });

  it('is followed by the address of its entry if the page is known', () => {
    const text = 'No. See PRA-NET-01\nSee PRA-K8S-02';
    expect(withLinks(text, 'https://x/T.md')).toBe(
      'No. See PRA-NET-01: https://x/T.md#pra-net-01\nSee PRA-K8S-02: https://x/T.md#pra-k8s-02',
    );
    expect(withLinks(text, undefined)).toBe(text);
  });
});
