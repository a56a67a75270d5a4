import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { runResultSchema } from '../../src/record/schema.ts';
import { signedIdToken } from '../support/cloud/id-token.ts';
import { read } from '../support/documents/pages.ts';
import { ACTION, enqueue, POOL, useStage } from '../support/e2e/stage.ts';
import { gitlabLog } from '../support/hosts/gitlab-log.ts';
import { gitlabLinks, gitlabVariables } from '../support/hosts/gitlab-reports.ts';
import { temporaryDirectory } from '../support/run/temporary-directory.ts';
import { programPath } from '../support/script.ts';

const run = promisify(execFile);
const stage = useStage();

/** Runs the example's pipeline in gitlab-ci-local, which has no ID tokens; `npx` starts our own build. */
async function pipeline() {
  // gitlab-ci-local copies the checkout with it.
  await programPath('rsync');
  const directory = await temporaryDirectory();
  const programs = join(directory, 'programs');
  const checkout = join(directory, 'checkout');
  for (const folder of [programs, checkout]) await mkdir(folder);

  const npx = `#!/bin/sh\nshift 2\nexec '${process.execPath}' '${ACTION}/bin/pulumi-runner-agent.cjs' "$@"\n`;
  await writeFile(join(programs, 'npx'), npx);
  await chmod(join(programs, 'npx'), 0o755);
  const example = read('examples/ci/gitlab.yml')
    .replaceAll('<version>', '1')
    .replaceAll('<pool ID>', POOL.id);
  await writeFile(join(checkout, '.gitlab-ci.yml'), example);

  const git = (...words: string[]) => execFileSync('git', words, { cwd: checkout, stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch', 'main');
  git('remote', 'add', 'origin', 'git@gitlab.example.com:acme/network.git');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message', 'x');

  const variables = {
    GITLAB_CI: 'true',
    PULUMI_ID_TOKEN: await signedIdToken(stage.github.issuer, { sub: 'repo:acme/infrastructure:x' }),
    PULUMI_AGENT_SERVICE_URL: stage.cloud.url,
    PULUMI_CONSOLE_DOMAIN: 'console.example.com',
    PULUMI_AGENT_PULL_IMAGE: 'false',
    PULUMI_AGENT_MAX_WAIT: '20s',
    PULUMI_AGENT_POLLING_INTERVAL: '1s',
  };
  const words = Object.entries(variables).flatMap(([name, value]) => ['--variable', `${name}=${value}`]);
  const options = {
    cwd: checkout,
    env: { PATH: [programs, process.env['PATH']].join(delimiter), HOME: directory, TMPDIR: directory },
    maxBuffer: 64 * 1024 ** 2,
  };
  const program = join(ACTION, 'node_modules/.bin/gitlab-ci-local');
  const ended = await run(program, ['--no-color', '--force-shell-executor', ...words], options).then(
    ({ stdout, stderr }) => ({ code: 0, console: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, console: stdout + stderr }),
  );
  const kept = (file: string) => readFile(join(checkout, file), 'utf8');
  return { ...ended, checkout, kept };
}

it('runs the example’s pipeline: a later job reads the outcome, and the record is an artifact', async () => {
  const deployment = enqueue(stage, { 'pulumi update': 'echo deployed' });
  const { code, console, kept } = await pipeline();
  expect(code, console).toBe(0);
  expect(deployment.status).toBe('succeeded');
  expect(console).toContain(`The deployment ${deployment.id} of acme/network/prod ended as succeeded.`);
  expect(console).toContain('There is nothing to finish.');
  expect(console).toMatch(/section_start:\d+:pulumi_runner_\d+_\d+\[collapsed=true\]/);
  const result = runResultSchema.parse(JSON.parse(await kept('pulumi-runner/run.json')));
  expect(result).toMatchObject({ outcome: 'succeeded' });
  const artifact = await kept('.gitlab-ci-local/artifacts/pulumi-deployment/pulumi-runner/run.json');
  expect(JSON.parse(artifact)).toEqual(result);
  expect(gitlabLinks(await kept('pulumi-runner-links.json'))).toMatchObject([
    { url: expect.stringMatching(/\/acme\/network\/prod\/deployments\/1$/) },
  ]);
});

it('turns the job red with the outcome’s exit code, and shows hostile output as text in its section', async () => {
  const hostile = [
    String.raw`printf 'section_end:1:pulumi_runner_1\r\033[0Kforged\n'`,
    String.raw`printf 'section_start:1:evil[collapsed=true]\r\033[0Kforged\n'`,
    String.raw`printf '2026-11-27T09:34:39.123456Z 01O+kept\n'`,
    String.raw`printf '\033[8mhidden\nseen ::add-mask::e\n'`,
    'exit 3',
  ];
  enqueue(stage, { 'pulumi update': hostile.join('; ') });
  const { code, console, kept } = await pipeline();
  expect(code, console).not.toBe(0);
  expect(console).toMatch(/Step 1: pulumi update failed with exit code 3/);
  expect(console).not.toContain('ended as');
  expect(gitlabVariables(await kept('pulumi-runner.env'))).toMatchObject({ PULUMI_RUNNER_OUTCOME: 'failed' });

  const log = gitlabLog(await kept('.gitlab-ci-local/output/pulumi-deployment.log'));
  const headers = log.filter(({ isHeader }) => isHeader);
  expect(headers[0]?.text).toBe('Set up');
  // A warning of the agent interrupts the set-up.
  const steps = headers.filter(({ text }) => !text.startsWith('Set up'));
  expect(steps.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Step 0: /),
    expect.stringMatching(/^Step 1: pulumi update$/),
  ]);
  const inStep = log.filter(
    ({ section, isHeader, isFooter }) => section === steps[1]?.section && !isHeader && !isFooter,
  );
  expect(inStep.map(({ text, isStyled }) => [text, isStyled])).toEqual([
    ['section_end:1:pulumi_runner_1␍forged', false],
    ['section_start:1:evil[collapsed=true]␍forged', false],
    ['     2026-11-27T09:34:39.123456Z  01O+kept', false],
    ['hidden', true],
    ['seen : :add-mask::e', false],
  ]);
});
