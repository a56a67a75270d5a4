import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '../../..');
/**
 * Stands in for gh in scripts/release: a tag is a file in `refs` that holds its commit, a release one in `releases`.
 * Refuses what GitHub would: a release without its tag or a second one, an existing tag, a change of a missing one. The
 * environment is what the file `environment` says.
 */
const GH = `#!/usr/bin/env bash
set -eu
case "$1 $2" in
  'release create')
    [ -e "$STORE/refs/$3" ]; [ ! -e "$STORE/releases/$3" ]; printf '%s\\n' "\${10}" >"$STORE/releases/$3" ;;
  'release view') [ -e "$STORE/releases/$3" ] ;;
  'api repos/acme/infrastructure/environments/release')
    cat "$STORE/environment" 2>/dev/null || { echo 'gh: Not Found (HTTP 404)' >&2; exit 1; } ;;
  'api --paginate') case $3 in
    */releases\\?*) [ "$4 $5" = "--jq .[] | select(.draft or .prerelease | not) | .tag_name" ]; ls "$STORE/releases" ;;
    *) ls "$STORE/refs" | sed 's|^|refs/tags/|' | grep -F "refs/tags/\${3##*/}" ;;
  esac ;;
  'api --method')
    if [ -e "$STORE/refused" ]; then echo 'gh: Resource not accessible by integration (HTTP 403)' >&2; exit 1; fi
    sha=$(printf '%s\\n' "$@" | sed -n 's/^sha=//p')
    if [ "$3" = PATCH ]; then tag=\${4##*/}; [ -e "$STORE/refs/$tag" ]; printf '%s\\n' "$@" | grep -qx force=true
    else tag=$(printf '%s\\n' "$@" | sed -n 's|^ref=refs/tags/||p'); [ ! -e "$STORE/refs/$tag" ]; fi
    printf '%s\\n' "$sha" >"$STORE/refs/$tag" ;;
  *) [ -e "$STORE/refs/\${2##*/}" ] ;;
esac
`;
/**
 * Stands in for npm and its registry: the file `npm` holds the integrity of what was published. Only the npm that `ci`
 * installs by a lockfile, without install scripts, publishes; and it takes `a/b.tgz` for a GitHub repository.
 */
const NPM = `#!/usr/bin/env bash
set -eu
case "$*" in
  'view @acme/pulumi-runner-agent@1.2.0 dist.integrity') cat "$STORE/npm" ;;
  'ci --prefix scripts/npm --ignore-scripts '*)
    mkdir -p scripts/npm/node_modules/.bin; cp "$STORE/pinned-npm" scripts/npm/node_modules/.bin/npm ;;
  *) exit 1 ;;
esac
`;
const PINNED_NPM = `#!/usr/bin/env bash
set -eu
[ "$1" = publish ]; [[ $2 = /* ]]; [ "\${*:3}" = '--provenance --access public --ignore-scripts' ]; [ ! -e "$STORE/npm" ]
printf 'sha512-%s\\n' "$(openssl dgst -sha512 -binary "$2" | base64 --wrap=0)" >"$STORE/npm"
`;
/** Stands in for docker: notes each call in `docker`, and builds an archive that holds an index alone. */
const DOCKER = `#!/usr/bin/env bash
set -eu
printf '%s\\n' "$*" >>"$STORE/docker"
case "$1 $2" in
  'buildx create') echo a-builder ;;
  'buildx build')
    file=$(printf '%s\\n' "$@" | sed -n 's/^type=oci,dest=//p')
    cd "$STORE"; echo '{"manifests":[{"digest":"sha256:built"}]}' >index.json; tar --create --file "$file" index.json ;;
  *) echo noise ;;
esac
`;
const CHANGELOG = `# Changelog

## [Unreleased]

## [1.2.0] - 2026-11-30

### Added

- What is new.

## [1.1.0] - 2026-11-01

- What was new before.

[1.2.0]: https://example.com
`;
const NOTES = '### Added\n\n- What is new.\n';
const RELEASED = `${NOTES}\nTo pin it: \`uses: acme/infrastructure@new # v1.2.0\`\n`;

let folder: string;
beforeEach(async () => {
  folder = await temporaryDirectory();
  for (const name of ['scripts', 'bin', 'refs', 'releases', 'assets', 'deploy/helm', 'examples/compose'])
    await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, 'assets/agent'), 'a program\n');
  const sum = createHash('sha256').update('a program\n').digest('hex');
  await writeFile(join(folder, 'assets/checksums.txt'), `${sum}  agent\n`);
  await copyFile(join(ROOT, 'scripts/release'), join(folder, 'scripts/release'));
  await writeFile(join(folder, 'pinned-npm'), PINNED_NPM, { mode: 0o755 });
  for (const [name, program] of Object.entries({ gh: GH, npm: NPM, docker: DOCKER }))
    await writeFile(join(folder, 'bin', name), program, { mode: 0o755 });
  await describeVersion('1.2.0', CHANGELOG);
});

async function describeVersion(version: string, changelog: string): Promise<void> {
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: '@acme/pulumi-runner-agent', version }),
  );
  await writeFile(join(folder, 'CHANGELOG.md'), changelog);
  await writeFile(join(folder, 'deploy/helm/Chart.yaml'), `version: ${version}\nappVersion: ${version}\n`);
  await composeOf(version);
}

const composeOf = (version: string) =>
  writeFile(
    join(folder, 'examples/compose/compose.yaml'),
    `    image: acme/pulumi-runner-agent:${version}\n`,
  );

const release = (...args: string[]) => releaseOf('new', ...args);

const releaseOf = (commit: string, ...args: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const env = {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      STORE: folder,
      GITHUB_REPOSITORY: 'acme/infrastructure',
      GITHUB_SHA: commit,
      GH_TOKEN: 'not-a-token',
    };
    execFile(join(folder, 'scripts/release'), args, { env, timeout: 15_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });

/** Publishes as the workflow does: the release first, the major version's tag last. */
async function publish(tag: string) {
  const made = await release('publish', tag, join(folder, 'assets'));
  return made.code === 0 ? release('major', tag) : made;
}

async function tags(): Promise<Record<string, string>> {
  const names = (await readdir(join(folder, 'refs'))).sort();
  const read = async (name: string) => (await readFile(join(folder, 'refs', name), 'utf8')).trim();
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)])));
}

describe('scripts/release', () => {
  it.each([
    ['another version in package.json', 'v1.1.0', CHANGELOG, 'package.json has version 1.2.0'],
    ['a version without a date', 'v1.2.0', CHANGELOG.replace(' - 2026-11-30', ' - unreleased'), 'YYYY-MM-DD'],
    ['a version without notes', 'v1.2.0', CHANGELOG.replace(NOTES, ''), 'says nothing'],
    ['a branch', 'main', CHANGELOG, 'Usage'],
  ])('refuses %s', async (_what, tag, changelog, sentence) => {
    await describeVersion('1.2.0', changelog);
    const { code, stdout, stderr } = await release('notes', tag);
    expect({ code, stdout }).toEqual({ code: tag === 'main' ? 2 : 1, stdout: '' });
    expect(stderr).toContain(sentence);
  });

  it('makes the release and the first tag of the major version', async () => {
    await writeFile(join(folder, 'refs/v1.2.0'), 'new');
    expect(await publish('v1.2.0')).toMatchObject({ code: 0, stdout: 'v1 points to v1.2.0\n' });
    expect(await readFile(join(folder, 'releases/v1.2.0'), 'utf8')).toBe(RELEASED);
    expect(await tags()).toEqual({ v1: 'new', 'v1.2.0': 'new' });
  });

  it.each([
    ['moves the major version’s tag from an older release', 'v1.1.9', ['v1.1.9'], 'new'],
    ['leaves the major version’s tag to a newer release', 'v1.10.0', ['v1.10.0'], 'old'],
    ['moves the major version’s tag past a newer tag whose release failed', 'v1.3.0', [], 'new'],
  ])('%s', async (_what, other, released, commit) => {
    for (const tag of ['v1', other]) await writeFile(join(folder, 'refs', tag), 'old');
    for (const tag of [...released, 'v2.0.0']) await writeFile(join(folder, 'releases', tag), 'notes');
    await writeFile(join(folder, 'refs/v1.2.0'), 'new');
    expect((await publish('v1.2.0')).code).toBe(0);
    expect(await tags()).toEqual({ v1: commit, [other]: 'old', 'v1.2.0': 'new' });
  });

  it('does the rest when it is run again', async () => {
    await writeFile(join(folder, 'refs/v1.2.0'), 'new');
    await writeFile(join(folder, 'releases/v1.2.0'), 'as it was made');
    expect((await publish('v1.2.0')).code).toBe(0);
    expect(await readFile(join(folder, 'releases/v1.2.0'), 'utf8')).toBe('as it was made');
    expect(await tags()).toEqual({ v1: 'new', 'v1.2.0': 'new' });
  });

  it('publishes the npm package of the folder once, and never one with other bytes', async () => {
    const file = join(folder, 'assets/pulumi-runner-agent-npm-1.2.0.tgz');
    const write = async (bytes: string) => {
      await writeFile(file, bytes);
      const sum = createHash('sha256').update(bytes).digest('hex');
      await writeFile(join(folder, 'assets/checksums.txt'), `${sum}  pulumi-runner-agent-npm-1.2.0.tgz\n`);
    };
    await write('a package');
    const integrity = `sha512-${createHash('sha512').update('a package').digest('base64')}\n`;
    for (let run = 0; run < 2; run++) {
      expect((await release('package', 'v1.2.0', 'assets')).code).toBe(0);
      expect(await readFile(join(folder, 'npm'), 'utf8')).toBe(integrity);
    }
    await write('another package');
    expect((await release('package', 'v1.2.0', 'assets')).code).not.toBe(0);
    await rm(join(folder, 'npm'));
    await writeFile(file, 'not what was attested');
    expect((await release('package', 'v1.2.0', 'assets')).code).not.toBe(0);
    expect(await readdir(folder)).not.toContain('npm');
  });

  it.each([
    'org/pulumi-runner-action',
    'ghcr.io/OWNER/pulumi-runner-agent',
    'oci://ghcr.io/OWNER/charts/pulumi-runner-agent',
    '@org/pulumi-runner-agent',
  ])('builds nothing for the placeholder owner in %s', async (text) => {
    await writeFile(join(folder, 'values.yaml'), `image: ${text}\n`);
    await writeFile(join(folder, 'README.md'), 'acme-org/pulumi-runner-action\n');
    for (const args of [
      ['init', '--quiet'],
      ['add', '.'],
    ])
      execFileSync('git', args, { cwd: folder });
    const { code, stderr } = await release('assets', 'v1.2.0', 'out');
    expect(code).toBe(1);
    expect(stderr).toBe(
      "Failed to release v1.2.0: the owner is still a placeholder, org or OWNER, in values.yaml. Put the repository's owner there.\n",
    );
  });

  it('says how to move the tag by hand when GitHub refuses it', async () => {
    for (const tag of ['v1', 'v1.2.0']) await writeFile(join(folder, 'refs', tag), 'old');
    await writeFile(join(folder, 'refused'), '');
    const { code, stderr } = await publish('v1.2.0');
    expect(code).toBe(1);
    expect(stderr).toContain('HTTP 403');
    expect(stderr).toContain('Failed to let v1 point to v1.2.0: ');
    expect(stderr).toContain('git push --force origin new:refs/tags/v1');
    expect(await readdir(join(folder, 'releases'))).toEqual(['v1.2.0']);
  });

  it.each(['v1.2.0-rc.1', 'v1.2', 'v1.2.0\nv1.2.0', '$(touch x)', ''])(
    'does nothing for the tag %j',
    async (tag) => {
      const before = await readdir(folder);
      const withFolder = ['assets', 'image', 'push', 'package', 'publish'].map((name) => [name, 'x']);
      for (const command of [['notes'], ['reviewed'], ['placed'], ['major'], ...withFolder]) {
        const [name = '', ...more] = command;
        const { code, stdout, stderr } = await release(name, tag, ...more);
        expect({ code, stdout, stderr }).toEqual({
          code: 2,
          stdout: '',
          stderr: expect.stringContaining('Usage'),
        });
      }
      expect({ readdir: await readdir(join(folder, 'releases')), tags: await tags() }).toEqual({
        readdir: [],
        tags: {},
      });
      expect(await readdir(folder)).toEqual(before);
    },
  );

  it('publishes nothing whose checksum differs, and refuses a chart or a Compose file of another version', async () => {
    await writeFile(join(folder, 'assets/agent'), 'another program\n');
    expect((await publish('v1.2.0')).code).toBe(1);
    expect(await readdir(join(folder, 'releases'))).toEqual([]);
    await writeFile(join(folder, 'deploy/helm/Chart.yaml'), 'version: 1.1.0\nappVersion: 1.2.0\n');
    expect((await release('notes', 'v1.2.0')).stderr).toContain('Chart.yaml has 1.1.0 1.2.0');
    await describeVersion('1.2.0', CHANGELOG);
    await composeOf('1.1.0');
    expect((await release('notes', 'v1.2.0')).stderr).toContain("compose.yaml has the image's version 1.1.0");
  });

  it('stops when GitHub refuses the release, before any tag is moved', async () => {
    await writeFile(join(folder, 'refs/v1'), 'old');
    expect((await publish('v1.2.0')).code).not.toBe(0);
    expect(await tags()).toEqual({ v1: 'old' });
  });
});

describe('the environment that publishes a release', () => {
  it.each([
    ['that is not there', undefined],
    ['that lets anyone publish', { name: 'release', protection_rules: [] }],
    [
      'that only waits, and asks for certain tags',
      { protection_rules: [{ type: 'wait_timer', wait_timer: 30 }, { type: 'branch_policy' }] },
    ],
    [
      'whose list of reviewers is empty',
      { protection_rules: [{ type: 'required_reviewers', reviewers: [] }] },
    ],
  ])('%s is refused', async (_what, environment) => {
    if (environment !== undefined) await writeFile(join(folder, 'environment'), JSON.stringify(environment));
    const { code, stderr } = await release('reviewed', 'v1.2.0');
    expect(code).toBe(1);
    expect(stderr).toContain('Failed to release v1.2.0: the environment release has no required reviewers');
  });

  it('passes when it has reviewers', async () => {
    const reviewers = [{ type: 'Team', reviewer: { slug: 'maintainers' } }];
    const rules = [
      { type: 'wait_timer', wait_timer: 30 },
      { type: 'required_reviewers', reviewers },
    ];
    await writeFile(join(folder, 'environment'), JSON.stringify({ protection_rules: rules }));
    expect(await release('reviewed', 'v1.2.0')).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('a tag is published only as the built commit, on a branch that releases', () => {
  let origin: string;
  const git = (directory: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
      cwd: directory,
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
      encoding: 'utf8',
    }).trim();
  /** A commit on a branch of the repository that GitHub has. */
  const commitOn = (branch: string, message: string) => {
    const of = (name: string) => git(origin, 'for-each-ref', '--format=%(objectname)', `refs/heads/${name}`);
    const parent = [of(branch), of('main')].find((commit) => commit !== '');
    const tree = git(origin, 'mktree');
    const commit = git(
      origin,
      'commit-tree',
      tree,
      ...(parent === undefined ? [] : ['-p', parent]),
      '-m',
      message,
    );
    git(origin, 'update-ref', `refs/heads/${branch}`, commit);
    return commit;
  };
  /** The run's checkout: its commit alone, as actions/checkout fetches it. */
  const placed = (commit: string) => {
    git(folder, 'fetch', '--quiet', '--depth=1', 'origin', commit);
    return releaseOf(commit, 'placed', 'v1.2.0');
  };

  beforeEach(async () => {
    origin = await temporaryDirectory();
    git(origin, 'init', '--quiet', '--bare');
    git(origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    commitOn('main', 'first');
    git(folder, 'init', '--quiet');
    git(folder, 'remote', 'add', 'origin', `file://${origin}`);
  });

  it.each(['main', 'release/1.x'])(
    'a commit of %s passes, when the branch went on and as an annotated tag too',
    async (branch) => {
      const commit = commitOn(branch, 'a release');
      git(origin, 'tag', 'v1.2.0', commit);
      git(origin, 'tag', 'v1.2.0-rc', commit);
      expect((await placed(commit)).code).toBe(0);
      commitOn(branch, 'after it');
      git(origin, 'tag', '--force', '--annotate', '--message=x', 'v1.2.0', commit);
      expect(await placed(commit)).toMatchObject({ code: 0, stdout: '' });
    },
  );

  it.each([
    [
      'to another commit',
      () => git(origin, 'tag', '--force', 'v1.2.0', commitOn('main', 'sneaked in')),
      /it is [0-9a-f]{40} now/,
    ],
    ['away', () => git(origin, 'tag', '--delete', 'v1.2.0'), /it is gone now/],
  ])('a tag that was moved %s is refused, and both commits are named', async (_where, move, sentence) => {
    const commit = commitOn('main', 'a release');
    git(origin, 'tag', 'v1.2.0', commit);
    git(folder, 'fetch', '--quiet', '--depth=1', 'origin', commit);
    move();
    const { code, stderr } = await placed(commit);
    expect(code).toBe(1);
    expect(stderr).toMatch(sentence);
    expect(stderr).toContain(`this run built ${commit}.`);
  });

  it.each(['feature', 'releases', 'main-2'])(
    'a commit that is on the branch %s alone is refused',
    async (branch) => {
      const commit = commitOn(branch, 'not reviewed');
      git(origin, 'tag', 'v1.2.0', commit);
      const { code, stderr } = await placed(commit);
      expect(code).toBe(1);
      expect(stderr).toContain(`its commit ${commit} is neither on main nor on a branch release/*`);
    },
  );
});

describe('the image of a release', () => {
  beforeEach(async () => {
    await mkdir(join(folder, '.github/builder'), { recursive: true });
    for (const name of ['Dockerfile', '.github/builder/Dockerfile'])
      await copyFile(join(ROOT, name), join(folder, name));
  });

  it('is built by images that their digests name, into an archive whose digest is printed', async () => {
    const { code, stdout, stderr } = await release('image', 'v1.2.0', join(folder, 'image'));
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'sha256:built\n' });
    const calls = await readFile(join(folder, 'docker'), 'utf8');
    const [emulate = '', create = '', build = ''] = calls.split('\n');
    expect(emulate).toMatch(/ tonistiigi\/binfmt:\S+@sha256:[0-9a-f]{64} --install arm64$/);
    expect(create).toMatch(/ --driver-opt image=moby\/buildkit:\S+@sha256:[0-9a-f]{64}$/);
    expect(build).toMatch(
      / --attest type=sbom,generator=docker\/buildkit-syft-scanner:\S+@sha256:[0-9a-f]{64} /,
    );
    expect(build).toContain(' --builder a-builder --platform linux/amd64,linux/arm64 ');
    expect(build).not.toContain('--push');
  });

  it.each([
    ['Dockerfile', /FROM debian:.*/, 'FROM debian:bookworm-slim'],
    ['Dockerfile', /FROM node:.*/, 'FROM node:24 AS programs'],
    ['.github/builder/Dockerfile', /FROM moby.*/, 'FROM moby/buildkit:v0.33.1@sha256:cec9 AS buildkit'],
  ])('is not built by an image of %s that no digest names', async (name, from, to) => {
    const path = join(folder, name);
    await writeFile(path, (await readFile(path, 'utf8')).replace(from, to));
    const { code, stderr } = await release('image', 'v1.2.0', join(folder, 'image'));
    expect(code).toBe(1);
    expect(stderr).toContain(`Failed to release v1.2.0: no digest pins ${to}.`);
    expect(await readdir(folder)).not.toContain('docker');
  });
});
