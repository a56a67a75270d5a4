import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codesOf, ROOT, read, rowsOf } from '../support/documents/pages.ts';

const isTest = (name: string) => name.endsWith('.test.ts');

it('what the documents lean on is there: each test file, and each title that is quoted of one', () => {
  const pages = [
    'docs/verification.md',
    ...['calls', 'endings', 'security-evidence'].map((name) => `docs/internals/${name}.md`),
  ];
  const named = pages.flatMap((page) => codesOf(read(page)).filter(isTest));
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);

  const unheld = rowsOf(read('docs/verification.md'))
    .slice(2)
    .filter(([, , , tests = '']) => tests !== '–' && !codesOf(tests).some(isTest));
  expect(unheld).toEqual([]);

  const quoted = rowsOf(read('docs/internals/security-evidence.md')).flatMap(([, file = '', title = '']) =>
    codesOf(file)
      .filter(isTest)
      .map((path) => ({ path, title })),
  );
  expect(quoted.length).toBeGreaterThan(30);
  const missing = quoted.filter(({ path, title }) => {
    const words = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", "\\\\?'");
    return !new RegExp(`\\(\\s*(['"\`])${words}\\1`).test(read(path));
  });
  expect(missing).toEqual([]);
});
