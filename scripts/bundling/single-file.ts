/*
 * Makes the agent a single executable that needs no installed Node.js: a node binary with the bundled agent inside
 * (nodejs.org/api/single-executable-applications).
 * Usage: node scripts/bundling/single-file.ts FILE [NODE]     NODE is the target processor's node; by default, this one
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { shaken } from './shaken.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The marker in the node binary that postject flips to enable the embedded program. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const [file, node = process.execPath] = process.argv.slice(2);
if (file === undefined) throw new Error('Usage: node scripts/bundling/single-file.ts FILE [NODE]');
const target = resolve(file);
const work = mkdtempSync(join(tmpdir(), 'single-file-'));
try {
  await bundle(join(work, 'agent.cjs'));
  const [blob, settings] = [join(work, 'agent.blob'), join(work, 'settings.json')];
  writeFileSync(
    settings,
    JSON.stringify({ main: join(work, 'agent.cjs'), output: blob, disableExperimentalSEAWarning: true }),
  );
  execFileSync(process.execPath, ['--experimental-sea-config', settings], { stdio: 'pipe' });
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(node, target);
  chmodSync(target, 0o755);
  const postject = join(ROOT, 'node_modules/.bin/postject');
  execFileSync(postject, [target, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE], { stdio: 'pipe' });
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Bundles the whole agent into one CommonJS file, the only kind that Node 24 can embed. */
async function bundle(path: string): Promise<void> {
  await using whole = await rolldown({ ...shaken, cwd: ROOT, input: join(ROOT, 'src/cli/index.ts') });
  await whole.write({ file: path, format: 'cjs', minify: true, codeSplitting: false });
}
