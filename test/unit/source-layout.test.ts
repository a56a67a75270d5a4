import { globSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codesOf, ROOT, read } from '../support/documents/pages.ts';

/** Lists the leaves, and has a table of the modules. */
const page = read('docs/architecture.md');
const LEAVES = codesOf(/the files directly in `src\/`:\n([\s\S]*?)\.\n/.exec(page)?.[1] ?? '');
const ROWS = [...page.matchAll(/^\| (`\w+`) \|(.*)\|$/gm)].map(([, room = '', rest = '']) => {
  const [, , imports = '', packages = ''] = rest.split('|');
  return { room: codesOf(room).join(), imports: codesOf(imports), packages };
});
const ROOMS: ReadonlyMap<string, readonly string[]> = new Map(
  ROWS.map(({ room, imports }) => [room, imports]),
);
/** Where each package may be imported, such as `executor/docker/`; `zod` and Node.js modules may be anywhere. */
const PACKAGES = ROWS.flatMap(({ room, packages }) =>
  [...packages.matchAll(/((?:`[^`]+`(?:, )?)+)(?: \(in `([^`]+)`\))?/g)].flatMap(
    ([, names = '', folder = '']) =>
      codesOf(names).map((name) => ({ name: name.replace(/\*$/, ''), home: `${room}/${folder}` })),
  ),
);
/** The sources of the programs in dist/. */
const ENTRIES = [...read('scripts/bundling/bundle.ts').matchAll(/source: 'src\/([^']+)'/g)].map(
  ([, path = '']) => path,
);

type Sources = ReadonlyMap<string, string>;
const roomOf = (path: string) => path.split('/', 1).join();

/** A file's imports; `types` are erased, so they make no cycle. */
function importsOf(path: string, text: string): { files: string[]; types: string[]; packages: string[] } {
  const clause = /^(?:import|export) (type )?(?:[\w{},*\s$]+ from )?'([^']+)'|\bimport\(\s*'([^']+)'/gm;
  const found = [...text.matchAll(clause)].map(([, type, name, dynamic = '']) => ({
    type,
    name: name ?? dynamic,
  }));
  const files = found
    .filter(({ name }) => name.startsWith('.'))
    .map(({ type, name }) => ({ type, name: normalize(join(path, '..', name)) }));
  return {
    files: files.filter(({ type }) => type === undefined).map(({ name }) => name),
    types: files.filter(({ type }) => type !== undefined).map(({ name }) => name),
    packages: found.map(({ name }) => name).filter((name) => !/^(?:\.|node:|zod$)/.test(name)),
  };
}

/** The imports that the table doesn't allow. */
function strangers(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    const { files, types, packages } = importsOf(path, text);
    const room = roomOf(path);
    const rooms = [room, ...LEAVES, ...(ROOMS.get(room) ?? [])];
    const isHome = (name: string) =>
      PACKAGES.some((each) => name.startsWith(each.name) && path.startsWith(each.home));
    return [
      ...[...files, ...types].filter((file) => !rooms.includes(roomOf(file))),
      ...packages.filter((name) => !isHome(name)),
    ].map((name) => `${path} imports ${name}`);
  });
}

/** The import cycles among the files. */
function circles(sources: Sources): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(' → '));
    if (done.has(path)) return;
    done.add(path);
    for (const file of importsOf(path, sources.get(path) ?? '').files) visit(file, [...way, path]);
  };
  for (const path of sources.keys()) visit(path, []);
  return found;
}

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

describe('the source layout', () => {
  it('has the modules and leaves that docs/architecture.md names, and no others', () => {
    expect([...new Set([...sources.keys()].map(roomOf))].sort()).toEqual([...ROOMS.keys(), ...LEAVES].sort());
  });

  it('imports only the files and packages that the table allows', () => {
    expect(strangers(sources)).toEqual([]);
  });

  it('has no import cycle among modules or files', () => {
    const rooms = new Map(
      ROWS.map(({ room, imports }) => [room, imports.map((name) => `from './${name}'`).join('\n')]),
    );
    expect([...circles(rooms), ...circles(sources)]).toEqual([]);
  });

  it('reads the environment and exits only in the programs’ entry files', () => {
    expect(ENTRIES.length).toBeGreaterThan(3);
    expect(endings(sources)).toEqual([]);
  });

  it('has no silenced checkers, and no work left for later', () => {
    expect(excuses(sources)).toEqual([]);
  });

  it('is caught breaking these rules', () => {
    const wrong = new Map([
      [
        'job/job.ts',
        "import { run } from '../agent/agent.ts';\nimport Docker from 'dockerode';\nprocess.exit(1);",
      ],
      [
        'agent/agent.ts',
        "import { Job } from '../job/job.ts';\nimport { info } from '@actions/core'; // TODO",
      ],
      ['executor/docker/engine.ts', "import Docker from 'dockerode';\nimport { now } from '../../clock.ts';"],
      ['executor/engine.ts', "export { x } from 'tar-stream'; // process.env is read elsewhere"],
      ['hosts/github/host.ts', "const { info } = await import('@actions/core');"],
    ]);
    expect(strangers(wrong)).toEqual([
      'job/job.ts imports agent/agent.ts',
      'job/job.ts imports dockerode',
      'agent/agent.ts imports @actions/core',
      'executor/engine.ts imports tar-stream',
    ]);
    expect(circles(wrong)).toEqual(['job/job.ts → agent/agent.ts → job/job.ts']);
    expect({ endings: endings(wrong), excuses: excuses(wrong) }).toEqual({
      endings: ['job/job.ts'],
      excuses: ['agent/agent.ts'],
    });
  });
});
