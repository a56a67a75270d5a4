import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);
const GIT_DEADLINE_MS = 30_000;

/**
 * Makes a clone of this repository as a CI job would check it out, but with the files as they are now and set up: it
 * links to this one's packages. `repository` is its name on GitHub, `OWNER/REPO`.
 */
export async function makeWorkflowTree(folder: string, repository: string): Promise<void> {
  const { stdout } = await git(ROOT, 'ls-files', '-z', '--cached', '--others', '--exclude-standard');
  // git does not ignore a node_modules that is a link to another clone's, since the link is not a folder.
  for (const path of stdout.split('\0').filter((name) => name !== '' && name !== 'node_modules')) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(join(ROOT, path), join(folder, path)).catch((error: unknown) => {
      // Removed, but not committed yet.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    });
  }
  await linkPackages(folder);
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  // This name and the commit are all that a runner knows about a repository.
  await git(folder, 'remote', 'add', 'origin', `https://github.com/${repository}.git`);
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  await git(folder, ...identity, 'commit', '--quiet', '--allow-empty', '--message=As it is now');
}

/** Links the packages, so that scripts/set-up finds them in place and installs none. */
async function linkPackages(folder: string): Promise<void> {
  const packages = join(folder, 'node_modules');
  await mkdir(packages);
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name !== '.set-up') await symlink(join(ROOT, 'node_modules', name), join(packages, name));
  }
  const lock = createHash('sha256').update(await readFile(join(folder, 'package-lock.json')));
  await writeFile(join(packages, '.set-up'), `${lock.digest('hex')}  package-lock.json\n`);
}

/** Runs git without the user's settings and those of a hook that this may run under. */
function git(cwd: string, ...args: string[]) {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  // Tests that run as root, such as with `sudo` in CI, may read another user's clone.
  return run('git', ['-c', `safe.directory=${cwd}`, ...args], {
    cwd,
    env,
    timeout: GIT_DEADLINE_MS,
    maxBuffer: 16 * 1024 * 1024,
  });
}
