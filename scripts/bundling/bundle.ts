/*
 * Bundles src/ and its packages into dist/, byte for byte the same on every machine. Two bundlers work in turn: rolldown
 * alone drops unused code, splits off what programs share or load later, and minifies; ncc, GitHub's usual bundler, turns
 * the rest into one file for each program.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';
import { chunksOf } from './chunks.ts';
import { licences } from './licences.ts';
import { shaken } from './shaken.ts';

const ROOT = join(import.meta.dirname, '../..');
const REDUCED = join(ROOT, 'lib');
const DIST = join(ROOT, 'dist');
/** Each program's source and its file in dist/. */
const PROGRAMS = {
  action: { source: 'src/ci-step/hosts/github/main.ts', file: 'action/index.js' },
  post: { source: 'src/ci-step/hosts/github/post.ts', file: 'action/post.js' },
  plan: { source: 'src/ci-step/hosts/github/plan.ts', file: 'plan/index.js' },
  agent: { source: 'src/cli/index.ts', file: 'agent/index.js' },
};
/** Makes Node load the files next to it as ES modules. */
const MANIFEST = '{"type":"module"}\n';

for (const folder of [REDUCED, DIST]) rmSync(folder, { recursive: true, force: true });
const chunks = await reduce();
writeFileSync(join(REDUCED, 'package.json'), MANIFEST);
const shared = chunks.filter(({ isEntry }) => !isEntry).map(({ fileName }) => fileName);
for (const [name, { file }] of Object.entries(PROGRAMS)) makeProgram(name, join(DIST, file));
mkdirSync(join(DIST, 'shared'));
for (const file of shared) copyFileSync(join(REDUCED, file), join(DIST, file));
const folders = new Set([...Object.values(PROGRAMS).map(({ file }) => dirname(file)), 'shared']);
for (const folder of folders) writeFileSync(join(DIST, folder, 'package.json'), MANIFEST);
writeFileSync(join(DIST, 'licenses.txt'), licences(chunks.flatMap(({ moduleIds }) => moduleIds)));

/** Writes the programs and their shared files, tree-shaken and minified, to REDUCED. */
async function reduce(): Promise<OutputChunk[]> {
  const sources = Object.entries(PROGRAMS).map(([name, { source }]) => [name, join(ROOT, source)] as const);
  const entries = new Set(sources.map(([, source]) => source));
  await using bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(sources),
    ...shaken,
  });
  const { output } = await bundle.write({
    dir: REDUCED,
    format: 'esm',
    minify: true,
    charset: 'ascii',
    chunkFileNames: ({ name }) => `shared/${name === 'export' ? 'tracing' : name}.js`,
    entryFileNames: 'programs/[name].js',
    codeSplitting: chunksOf(join(ROOT, PROGRAMS.agent.source), entries),
  });
  const made = output.filter((file) => file.type === 'chunk');
  // A single other character makes Node.js keep two bytes for each of the file's: several MB of an agent's memory.
  for (const { fileName, code } of made)
    if (/[\u0080-\uffff]/.test(code)) throw new Error(`bundle: ${fileName} has a character that isn't ASCII`);
  const programs = new Set(made.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
  // A program awaits its own end, so a lazily loaded file that imports it would wait as long.
  for (const { fileName, imports } of made)
    if (imports.some((file) => programs.has(file))) throw new Error(`bundle: ${fileName} imports a program`);
  return made;
}

/** Has ncc write a program to `file`, which still imports the shared files. */
function makeProgram(name: string, file: string): void {
  const folder = join(REDUCED, 'ncc');
  const externals = shared.flatMap((path) => ['--external', `../${path}`]);
  const source = join(REDUCED, `programs/${name}.js`);
  const options = ['build', source, '--out', folder, '--no-cache', '--quiet', ...externals];
  execFileSync(join(ROOT, 'node_modules/.bin/ncc'), options, { cwd: ROOT, stdio: 'inherit' });
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(join(folder, 'index.js'), file);
}
