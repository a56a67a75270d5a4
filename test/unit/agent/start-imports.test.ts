import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../../../src');

/** What `entries` load at once: files of ours, and packages. Neither types nor what is imported when it is first needed. */
function loadedBy(...entries: readonly string[]): { readonly files: string[]; readonly packages: string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const load = (file: string) => {
    if (files.has(file)) return;
    files.add(file);
    const text = readFileSync(join(SRC, file), 'utf8');
    for (const [, specifier = ''] of text.matchAll(/^(?:import|export) (?!type\b)(?:[^'";]* from )?'([^']+)'/gm)) {
      if (specifier.startsWith('.')) load(relative(SRC, join(SRC, file, '..', specifier)));
      else if (!specifier.startsWith('node:')) packages.add(specifier);
    }
  };
  for (const entry of entries) load(entry);
  return { files: [...files].sort(), packages: [...packages].sort() };
}

const start = loadedBy('agent/index.ts', 'agent/main.ts', 'agent/run.ts');

it('an agent on Docker loads what it needs up to its first poll', () => {
  expect(start.files).toEqual(
    expect.arrayContaining(['agent/agent.ts', 'cloud/token-exchange.ts', 'config/value.ts', 'target/docker/check.ts']),
  );
  expect(start.packages).toEqual(['cockatiel', 'undici', 'undici/lib/api/api-request.js', 'zod']);
});

it.each([
  ['what makes a container', /^target\/(?:shell\/|docker\/(?:prepare|pull|step|container|sweep|removal)\b)/],
  ['another target', /^target\/kubernetes\//],
  ['another command', /^agent\/(?:plan|doctor|configure|debug|sweep)\b/],
  ['what reads a record', /^record\/(?:schema|reader)\b/],
])('and not %s', (_, needless) => {
  expect(start.files.filter((file) => needless.test(file))).toEqual([]);
});
