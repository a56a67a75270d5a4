import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, linksOf } from './markdown.ts';

const ROOT = join(import.meta.dirname, '../..');
const pages = ['.', 'docs'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);
const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8');

/** What `link` on `page` leads to: a path from the root, and the anchor there. */
function targetOf(page: string, link: string): { path: string; anchor: string | undefined } {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? page : relative(ROOT, join(ROOT, dirname(page), decodeURIComponent(file)));
  return { path, anchor };
}

function isBroken(page: string, link: string): boolean {
  const { path, anchor } = targetOf(page, link);
  if (path.startsWith('..') || !existsSync(join(ROOT, path))) return true;
  return (
    anchor !== undefined && (statSync(join(ROOT, path)).isDirectory() || !anchorsOf(textOf(path)).includes(anchor))
  );
}

describe('links in the documents', () => {
  it.each(pages)('of %s lead to files and headings that are there', (page) => {
    expect(linksOf(textOf(page)).filter((link) => isBroken(page, link))).toEqual([]);
  });

  it('lead from the README to every page', () => {
    const reached = new Set<string>();
    const follow = (page: string) => {
      if (reached.has(page)) return;
      reached.add(page);
      for (const link of linksOf(textOf(page))) {
        const { path } = targetOf(page, link);
        if (pages.includes(path)) follow(path);
      }
    };
    follow('README.md');
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });

  it('are in the README itself to every page of docs/ and to those at the root', () => {
    const direct = new Set(linksOf(textOf('README.md')).map((link) => targetOf('README.md', link).path));
    expect(pages.filter((page) => page !== 'README.md' && !direct.has(page))).toEqual([]);
  });

  it.each([
    ['a page that is not there', '[x](docs/none.md)'],
    ['a heading that is not there', '[x](README.md#no-such-heading)'],
    ['a heading of this page that is not there', '[x](#no-such-heading)'],
    ['a picture that is not there', '![x](docs/pictures/none.png)'],
    ['a place outside', '[x](../elsewhere.md)'],
  ])('would be found out when one leads to %s', (_what, text) => {
    expect(linksOf(text).map((link) => isBroken('README.md', link))).toEqual([true]);
  });
});

it.each([
  ['## Try it, test it', 'try-it-test-it'],
  ['### Failed to read … for the agent', 'failed-to-read--for-the-agent'],
  ["### Failed to get this job's ID token", 'failed-to-get-this-jobs-id-token'],
  ['### The agent (process …) was killed', 'the-agent-process--was-killed'],
  ['## `a_b` and [c](d.md)', 'a_b-and-c'],
])('the anchor of %s is #%s, as on GitHub', (heading, anchor) => {
  expect(anchorsOf(heading)).toEqual([anchor]);
});

it('a repeated heading gets a number, and a fence has no headings', () => {
  expect(anchorsOf('# A\n\n```sh\n# not one\n```\n\n# A\n')).toEqual(['a', 'a-1']);
});
