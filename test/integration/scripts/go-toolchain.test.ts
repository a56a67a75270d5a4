import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const SCRIPTS = join(ROOT, 'scripts');
const [, NEEDED = ''] = /^go_version=(.+)$/m.exec(readFileSync(join(SCRIPTS, 'go.bash'), 'utf8')) ?? [];
/** All that the scripts call until they look for Go. */
const PROGRAMS = ['bash', 'dirname', 'flock', 'mkdir', 'realpath', 'sed', 'sort'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'no-go-'));
  for (const name of ['bin', 'old']) await mkdir(join(folder, name));
  for (const name of PROGRAMS) {
    const program = execFileSync('bash', ['-c', `type -P ${name}`], { encoding: 'utf8' }).trim();
    await symlink(program, join(folder, 'bin', name));
  }
  const old =
    '#!/usr/bin/env bash\nif [ "$1" = env ]; then echo "$GOTOOLCHAIN"; else echo "go version go1.24.0 linux/amd64"; fi\n';
  await writeFile(join(folder, 'old/go'), old, { mode: 0o755 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A script's end on a machine without Go, but for what is put before PATH, and with empty caches. */
function withoutGo(name: string, words: readonly string[], before = ''): Promise<object> {
  const env = {
    PATH: `${before}${join(folder, 'bin')}`,
    HOME: folder,
    GOROOT: join(folder, 'none'),
    GOTOOLCHAIN: 'local',
  };
  return new Promise((resolve) => {
    execFile(join(SCRIPTS, name), words, { env, timeout: 30_000 }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}

it.each(['', 'types integration', 'kubernetes'])(
  'the tests fail without Go, say so, and begin nothing: scripts/test %s',
  async (parts) => {
    expect(await withoutGo('test', parts.split(' ').filter(Boolean))).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(
          `^No Go toolchain: the tests .*on Kubernetes.* Nothing was run\\. Install Go ${NEEDED} or newer\\.\n$`,
        ),
      ),
    });
  },
);

it.each(['kubernetes-programs', 'opentofu', 'act', 'actionlint'])('%s says which Go is missing', async (name) => {
  const missing = {
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^Failed to build .+: no Go toolchain found\\. Install Go ${NEEDED} or newer\\.\\n$`),
    ),
  };
  expect(await withoutGo(name, [])).toEqual(missing);
  // One that may not fetch a newer one.
  expect(await withoutGo(name, [], `${join(folder, 'old')}:`)).toEqual(missing);
});

it.each(['README.md', 'CONTRIBUTING.md'])('%s asks for the same Go', (name) => {
  const named = readFileSync(join(ROOT, name), 'utf8').match(/Go [\d.]+(?= or newer)/g);
  expect(new Set(named)).toEqual(new Set([`Go ${NEEDED}`]));
});
