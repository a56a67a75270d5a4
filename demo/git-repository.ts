import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readFolder } from './files.ts';

const run = promisify(execFile);
const GIT_DEADLINE_MS = 30_000;
/** Where Linux and macOS have git. */
const GIT_PATH = '/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin';

/** A bare git repository in memory. */
export interface GitRepository {
  /** The full hash of its only commit. */
  readonly commit: string;
  /** Its files by path, such as `HEAD` and `info/refs`, as git's dumb HTTP protocol requests them. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/**
 * Creates a bare repository whose branch `main` has one commit of the folder's files; same files, same hash.
 * @throws Error if git is missing or fails
 */
export async function makeGitRepository(folder: string): Promise<GitRepository> {
  const base = await mkdtemp(join(tmpdir(), 'demo-repository-'));
  try {
    const tree = join(base, 'tree');
    const bare = join(base, 'bare');
    await cp(folder, tree, { recursive: true });
    await git(base, 'init', '--quiet', '--initial-branch=main', tree);
    await git(tree, 'add', '--all');
    await git(tree, 'commit', '--quiet', '--message=Deploy what the demo shows');
    await git(base, 'clone', '--quiet', '--bare', tree, bare);
    await git(bare, 'repack', '-a', '-d', '--quiet');
    // Lets clients find refs and packs on a server that doesn't run git (git-update-server-info).
    await git(bare, 'update-server-info');
    return { commit: await git(bare, 'rev-parse', 'HEAD'), files: await readFolder(bare) };
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

async function git(cwd: string, ...args: string[]): Promise<string> {
  const who = { NAME: 'Demo', EMAIL: 'demo@localhost', DATE: '2026-01-01T00:00:00Z' };
  const identity = Object.entries(who).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  // Keeps out the user's settings (hooks, signing, templates) and the GIT_DIR of a hook that runs this.
  const env = {
    PATH: GIT_PATH,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    ...Object.fromEntries(identity),
  };
  try {
    const { stdout } = await run('git', args, { cwd, env, timeout: GIT_DEADLINE_MS });
    return stdout.trim();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.trim() : String(cause);
    throw new Error(`Failed to make the program's git repository: ${why}. Check that git is installed.`, {
      cause,
    });
  }
}
