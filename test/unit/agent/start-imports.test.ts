import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../../../src');

/** What `entries` load at once of ours. Neither types nor what is imported when it is first needed. */
function loadedBy(...entries: readonly string[]): string[] {
  const files = new Set<string>();
  const load = (file: string) => {
    if (files.has(file)) return;
    files.add(file);
    const text = readFileSync(join(SRC, file), 'utf8');
    for (const [, specifier = ''] of text.matchAll(/^(?:import|export) (?!type\b)(?:[^'";]* from )?'([^']+)'/gm)) {
      if (specifier.startsWith('.')) load(relative(SRC, join(SRC, file, '..', specifier)));
    }
  };
  for (const entry of entries) load(entry);
  return [...files].sort();
}

const start = loadedBy('agent/index.ts', 'agent/main.ts', 'agent/run.ts');

it.each([
  ['what makes a container', /^target\/(?:shell\/|docker\/(?:prepare|pull|step|container|sweep|removal)\b)/],
  ['another target', /^target\/kubernetes\//],
  ['another command', /^agent\/(?:plan|doctor|configure|debug|sweep)\b/],
  ['proxies and certificates', /^network\/(?!proxy-variable)/],
])('an agent on Docker loads up to its first poll nothing of %s', (_, needless) => {
  expect(start.filter((file) => needless.test(file))).toEqual([]);
});
