import { expect, it } from 'vitest';
import { VERSION } from '../../src/version.ts';
import { read } from '../support/documents/pages.ts';

it('the changelog has versions newest first, each with its day but the one to come, in groups that Keep a Changelog names', () => {
  const headings = read('CHANGELOG.md').match(/^#{2,} .*$/gm) ?? [];
  const [first, ...versions] = headings.filter((heading) => heading.startsWith('## '));
  expect(first).toMatch(/^## (?:\[Unreleased\]|\[\d+\.\d+\.\d+\] - (?:Unreleased|\d{4}-\d\d-\d\d))$/);
  const older = versions.map((heading) => /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/.exec(heading)?.[1] ?? heading);
  expect(older).toEqual(older.toSorted((one, other) => other.localeCompare(one, 'en', { numeric: true })));
  const groups = headings.filter((heading) => !heading.startsWith('## '));
  expect(groups.filter((group) => !/^### (?:Added|Changed|Deprecated|Removed|Fixed|Security)$/.test(group))).toEqual(
    [],
  );
});

it('the version is the package’s', () => {
  expect(JSON.parse(read('package.json'))).toMatchObject({ version: VERSION });
});
