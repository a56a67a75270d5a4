import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, read } from '../support/documents/pages.ts';

/** The sources of the programs in dist/. */
const ENTRIES = [...read('scripts/bundling/bundle.ts').matchAll(/source: 'src\/([^']+)'/g)].map(
  ([, path = '']) => path,
);

type Sources = ReadonlyMap<string, string>;

/** The files besides the entries that read the environment or exit. Ignores comments. */
function endings(sources: Sources): string[] {
  const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return [...sources.keys()].filter(
    (path) => !ENTRIES.includes(path) && /\bprocess\.(?:env\b|exit\()/.test(code(sources.get(path) ?? '')),
  );
}

/** The files with silenced checkers or work left for later. biome.json itself forbids `any` and `!` in src/. */
function excuses(sources: Sources): string[] {
  const bad = /@ts-(?:ignore|nocheck|expect-error)|biome-ignore|\bTODO\b|\bFIXME\b/;
  return [...sources.keys()].filter((path) => bad.test(sources.get(path) ?? ''));
}

const sources: Sources = new Map(
  globSync('**/*.ts', { cwd: join(ROOT, 'src') }).map((path) => [path, read(join('src', path))]),
);

/** biome.json has the rules of rooms, packages and import cycles. */
describe('the sources', () => {
  it('read the environment and exit only in the programs’ entry files', () => {
    expect(ENTRIES.length).toBeGreaterThan(3);
    expect(endings(sources)).toEqual([]);
  });

  it('have no silenced checkers, and no work left for later', () => {
    expect(excuses(sources)).toEqual([]);
  });

  it('are caught breaking these rules', () => {
    const wrong = new Map([
      ['agent/job/job.ts', 'process.exit(1);'],
      ['agent/agent.ts', "import { run } from './job/job.ts'; // TODO"],
      ['executor/executor.ts', "export { x } from './x.ts'; // process.env is read elsewhere"],
    ]);
    expect({ endings: endings(wrong), excuses: excuses(wrong) }).toEqual({
      endings: ['agent/job/job.ts'],
      excuses: ['agent/agent.ts'],
    });
  });
});
