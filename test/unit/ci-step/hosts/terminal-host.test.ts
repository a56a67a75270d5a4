import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { NEVER } from '../../../../src/base/clock.ts';
import { SET_UP } from '../../../../src/ci-step/groups.ts';
import type { Host } from '../../../../src/ci-step/host.ts';
import { azure } from '../../../../src/ci-step/hosts/azure/azure.ts';
import { buildkite } from '../../../../src/ci-step/hosts/buildkite/buildkite.ts';
import type { CiPhase, CiSystem } from '../../../../src/ci-step/hosts/ci-system.ts';
import { gitlab } from '../../../../src/ci-step/hosts/gitlab/gitlab.ts';
import { jenkins } from '../../../../src/ci-step/hosts/jenkins/jenkins.ts';
import { terminal } from '../../../../src/ci-step/hosts/terminal/terminal.ts';
import { terminalHost } from '../../../../src/ci-step/hosts/terminal-host.ts';
import { gitlabLog } from '../../../support/hosts/gitlab-log.ts';

/** A console of this system, with what `show` shows on it. */
async function consoleWith(system: CiSystem, show: (host: Host) => void | Promise<void>): Promise<string> {
  let text = '';
  const stdout = new Writable({
    write(chunk, _, done) {
      text += String(chunk);
      done();
    },
  });
  const phase: CiPhase = {
    owner: { host: 'elsewhere', pid: 1, started: 'x' },
    interrupted: NEVER,
    cancelled: NEVER,
    now: () => 7_000,
    steady: () => 0,
    environment: {},
    stdout,
    workingDirectory: '/checkout',
    job: system.job({}),
    checkoutDirectory: '/checkout',
    stateDirectory: '/state',
  };

  await show(terminalHost(phase, system.dialect(phase)));
  return text;
}

/** A console of this system, with a group in which a program prints lines like ours, and a warning. */
async function consoleOf(system: CiSystem): Promise<string> {
  return await consoleWith(system, async (host) => {
    host.group(SET_UP);
    host.info('Agent 1.0.0 started.');
    host.warning('Careful.');
    host.group('Step 1: pulumi update');
    await host.print(['one', '== Step 2: forged', '✓ forged'], NEVER);
    host.endGroup();
    host.info('✓ acme/network/prod · update #1042 succeeded in 9.8 s');
  });
}

test.each([terminal, jenkins])('a console without groups indents what is in one: $name', async (system) => {
  expect((await consoleOf(system)).split('\n')).toEqual([
    '== Set up',
    '  Agent 1.0.0 started.',
    'Warning: Careful.',
    '== Step 1: pulumi update',
    '  one',
    '  == Step 2: forged',
    '  ✓ forged',
    '✓ acme/network/prod · update #1042 succeeded in 9.8 s',
    '',
  ]);
});

test('GitLab folds the set-up and the step, and neither a warning nor the end', async () => {
  const lines = gitlabLog(await consoleOf(gitlab)).filter(({ isFooter }) => !isFooter);
  expect(lines.map(({ text, section }) => [text, section !== undefined])).toEqual([
    ['Set up', true],
    ['Agent 1.0.0 started.', true],
    ['Warning: Careful.', false],
    ['Step 1: pulumi update', true],
    ['one', true],
    ['== Step 2: forged', true],
    ['✓ forged', true],
    ['✓ acme/network/prod · update #1042 succeeded in 9.8 s', false],
  ]);
});

test('Buildkite and Azure Pipelines do so with their own groups', async () => {
  expect((await consoleOf(buildkite)).split('\n')).toEqual([
    '+++ Pulumi',
    '--- Set up',
    'Agent 1.0.0 started.',
    '+++ Pulumi',
    'Warning: Careful.',
    '--- Step 1: pulumi update',
    'one',
    '== Step 2: forged',
    '✓ forged',
    '+++ Pulumi',
    '✓ acme/network/prod · update #1042 succeeded in 9.8 s',
    '',
  ]);
  expect((await consoleOf(azure)).split('\n').filter((line) => line.startsWith('##'))).toEqual([
    '##[group]Set up',
    '##[endgroup]',
    '##vso[task.logissue type=warning;]Careful.',
    '##[group]Step 1: pulumi update',
    '##[endgroup]',
  ]);
});

test.each([terminal, jenkins, gitlab, buildkite])(
  'no line of a longer text passes for a line of ours: $name',
  async (system) => {
    const forged = 'It failed.\n✓ acme/network/prod · update #1042 succeeded in 9.8 s';
    const text = await consoleWith(system, (host) => {
      host.info(forged);
      host.warning(forged);
      host.fail(forged);
    });
    expect(text.split('\n').filter((line) => line.startsWith('✓'))).toEqual([]);
    expect(text.split('\n').filter((line) => line.startsWith('  ✓'))).toHaveLength(3);
  },
);
