import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/documents/pages.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';
import { runFile } from '../../support/script.ts';

const REAL = ['test', 'test-totals.ts', 'debian.bash', 'go.bash'];
const PASSED = JSON.stringify({ passed: 2, failed: 0, skipped: 0, failures: [] });

/** A git hook that runs the tests sets variables that lead git to its own repository. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')),
);

/** Runs `scripts/test` with stand-ins for all that it starts, once `prepare` has prepared its checkout. */
async function testRun(
  parts: readonly string[],
  stubs: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
  prepare: (checkout: string) => unknown = () => {},
) {
  const scripts = join(await temporaryDirectory(), 'scripts');
  await mkdir(scripts);
  for (const name of REAL) await cp(join(ROOT, 'scripts', name), join(scripts, name));
  const all = {
    ...{ 'set-up': '', programs: 'echo 0', images: '' },
    world: `[ "$2" != run ] || [ "$3" != vitest ] || echo '${PASSED}' >"$TEST_RESULTS"`,
    ...stubs,
  };
  for (const [name, script] of Object.entries(all)) {
    await writeFile(join(scripts, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(scripts, name), 0o755);
  }
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
  await prepare(dirname(scripts));
  const { code, stdout } = await runFile(join(scripts, 'test'), parts, {
    ...environment,
    ...more,
    PATH,
  });
  // The line before the totals is blank.
  return { code, stdout, end: stdout.slice(stdout.lastIndexOf('\n\n') + 2) };
}

it('scripts/test ends with the totals of all its parts', async () => {
  expect(await testRun(['unit', 'engine', 'integration'], {})).toMatchObject({
    code: 0,
    end: '6 passed, 0 failed, 0 skipped\n',
  });
});

it.each<[string, Readonly<Record<string, string>>, string]>([
  ['whose programs fail', { programs: '[ "$1" != --for ] || exit 4; echo 0' }, 'exit code 4'],
  ['whose images fail', { world: 'case $* in *images*) exit 5 ;; *) exit 0 ;; esac' }, 'exit code 5'],
  ['whose world does not start', { world: 'exit 3' }, 'exit code 3'],
  ['whose vitest is killed', { world: '[ "$3" != vitest ] || kill -KILL $$' }, 'exit code 137'],
  ['that succeeds without a test', { world: '' }, 'exit code 1'],
])('scripts/test ends with a line about a part %s', async (_, stubs, ended) => {
  const { world = 'exit 0', ...others } = stubs;
  const unit = `case $TEST_RESULTS in *unit*) echo '${PASSED}' >"$TEST_RESULTS"; exit ;; esac`;
  const broken = 'world' in stubs ? { world: `${unit}\n${world}` } : {};
  for (const [parts, name] of [
    [['unit', 'engine'], 'engine'],
    [['unit', 'integration', 'e2e'], 'integration and e2e'],
  ] as const) {
    const { code, end } = await testRun(parts, { ...others, ...broken });
    expect({ code: code !== 0, end }).toEqual({
      code: true,
      end: `2 passed, 0 failed, 0 skipped\nno results of ${name}, which ended with ${ended}: see what it printed above\n`,
    });
  }
});

it.each<[readonly string[], readonly string[]]>([
  [
    ['unit', 'kubernetes'],
    ['unit', 'kubernetes'],
  ],
  // The cluster's part runs beside the other.
  [
    ['integration', 'kubernetes'],
    ['integration', 'kubernetes'],
  ],
  [['test/integration/kubernetes/pod.test.ts'], ['files']],
])('scripts/test %j without any results says so of each part', async (words, parts) => {
  const { code, end } = await testRun(words, { world: 'exit 3' });
  expect({ code, lines: end.match(/^no results .*$/gm) }).toEqual({
    code: 3,
    lines: parts.map(
      (part) => `no results of ${part}, which ended with exit code 3: see what it printed above`,
    ),
  });
});

it.each<[string, string, string, boolean, boolean]>([
  ['leaves the packages’ tests to CI', 'README.md', '', true, true],
  ['runs the packages’ tests if it changes how they are made', 'Dockerfile', '', true, false],
  ['runs the packages’ tests if it changes what their image leaves out', '.dockerignore', '', true, false],
  [
    'runs the packages’ tests if a file of theirs isn’t tracked',
    'examples/compose/new.yaml',
    '',
    false,
    false,
  ],
  ['runs the packages’ tests in CI', 'README.md', 'true', true, false],
])('scripts/test on a branch %s', async (_, changed, CI, isTracked, isLeft) => {
  const recorded = `echo "$*"; echo '${PASSED}' >"$TEST_RESULTS"`;
  const stubs = { world: `[ "$2" != run ] || [ "$3" != vitest ] || { ${recorded}; }` };
  const { code, stdout } = await testRun(['e2e'], stubs, { CI }, async (checkout) => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
        cwd: checkout,
        env: environment,
      });
    git('init', '--quiet', '--initial-branch=main');
    git('add', '.');
    git('commit', '--quiet', '--message=main');
    git('checkout', '--quiet', '-b', 'change');
    await mkdir(join(checkout, dirname(changed)), { recursive: true });
    await writeFile(join(checkout, changed), 'changed\n');
    if (isTracked) git('add', '.');
    git('commit', '--quiet', '--allow-empty', '--message=change');
  });
  expect(code, stdout).toBe(0);
  expect(stdout.includes('left to CI: test/e2e/install.test.ts')).toBe(isLeft);
  expect(/vitest run .*--exclude test\/e2e\/install\.test\.ts$/m.test(stdout)).toBe(isLeft);
});
