/*
 * Bundles src/ and the packages it needs into dist/. rolldown drops what nothing calls, puts what programs share, and what they load
 * later, into files of its own, and minifies; ncc makes each program's file of the rest. Byte for byte the same wherever it runs.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';
import { licences } from './licences.ts';

const ROOT = join(import.meta.dirname, '../..');
const REDUCED = join(ROOT, 'lib');
const DIST = join(ROOT, 'dist');
/** Each program's file in dist/, and its source. */
const PROGRAMS = {
  'action/index': 'src/action/index.ts',
  'action/post': 'src/action/post-index.ts',
  'plan/index': 'src/action/plan/index.ts',
  'agent/index': 'src/agent/index.ts',
};
/** Node loads what lies beside it as ES modules. */
const MANIFEST = '{"type":"module"}\n';

for (const folder of [REDUCED, DIST]) rmSync(folder, { recursive: true, force: true });
const chunks = await reduce();
writeFileSync(join(REDUCED, 'package.json'), MANIFEST);
const shared = chunks.filter(({ isEntry }) => !isEntry).map(({ fileName }) => fileName);
for (const program of Object.keys(PROGRAMS)) makeProgram(program);
mkdirSync(join(DIST, 'shared'));
for (const file of shared) copyFileSync(join(REDUCED, file), join(DIST, file));
for (const folder of ['action', 'plan', 'agent', 'shared']) writeFileSync(join(DIST, folder, 'package.json'), MANIFEST);
writeFileSync(join(DIST, 'licenses.txt'), licences(chunks.flatMap(({ moduleIds }) => moduleIds)));

/** Writes the programs and what they share, tree-shaken and minified, to REDUCED. */
async function reduce(): Promise<OutputChunk[]> {
  await using bundle = await rolldown({
    cwd: ROOT,
    input: PROGRAMS,
    platform: 'node',
    // Its classes for every kind of object are 18 MB; the package doesn't say that it does nothing when it is loaded.
    treeshake: { moduleSideEffects: [{ test: /@kubernetes\/client-node/, sideEffects: false }] },
    // What can't be resolved would fail only when it is needed.
    onLog: (_, { code, message }) => {
      throw new Error(`bundle: ${code}: ${message}`);
    },
  });
  const { output } = await bundle.write({
    dir: REDUCED,
    format: 'esm',
    minify: true,
    chunkFileNames: 'shared/[name].js',
  });
  const made = output.filter((file) => file.type === 'chunk');
  const programs = new Set(made.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
  // A program waits for its own end: what it loads later would wait for that too.
  for (const { fileName, imports } of made)
    if (imports.some((file) => programs.has(file))) throw new Error(`bundle: ${fileName} imports a program`);
  return made;
}

/** Has ncc write a program to dist/, which goes on importing the shared files. */
function makeProgram(program: string): void {
  const folder = join(REDUCED, 'ncc');
  const externals = shared.flatMap((file) => ['--external', `../${file}`]);
  const arguments_ = ['build', join(REDUCED, `${program}.js`), '--out', folder, '--no-cache', '--quiet', ...externals];
  execFileSync(join(ROOT, 'node_modules/.bin/ncc'), arguments_, { cwd: ROOT, stdio: 'inherit' });
  const file = join(DIST, `${program}.js`);
  mkdirSync(join(file, '..'), { recursive: true });
  copyFileSync(join(folder, 'index.js'), file);
}
