import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ownOwner } from '../../../../../src/base/owner.ts';
import { detectSystem } from '../../../../../src/ci-step/hosts/ci-commands.ts';
import type { CiPhase } from '../../../../../src/ci-step/hosts/ci-system.ts';
import { gitlab } from '../../../../../src/ci-step/hosts/gitlab/gitlab.ts';
import { gitlabVariables } from '../../../../support/hosts/gitlab-reports.ts';
import { temporaryDirectory } from '../../../../support/run/temporary-directory.ts';

const JOB = { GITLAB_CI: 'true', CI_JOB_ID: '7', CI_PROJECT_DIR: '/builds/acme/network' };
const SHELL = { ...JOB, CI_SHARED_ENVIRONMENT: 'true' };
const DOCKER = { ...JOB, CI_DISPOSABLE_ENVIRONMENT: 'true' };
const KUBERNETES = { ...DOCKER, KUBERNETES_SERVICE_HOST: '10.0.0.1' };

function dialect(environment: Record<string, string>, checkoutDirectory: string) {
  const step: CiPhase = {
    owner: ownOwner(),
    interrupted: new AbortController().signal,
    cancelled: new AbortController().signal,
    now: () => 0,
    steady: () => 0,
    environment,
    stdout: new PassThrough(),
    workingDirectory: checkoutDirectory,
    job: gitlab.job(environment),
    checkoutDirectory,
    stateDirectory: checkoutDirectory,
  };
  return gitlab.dialect(step);
}

describe('a job of GitLab', () => {
  it.each([
    [JOB, true],
    [{ ...JOB, GITLAB_CI: 'false' }, false],
    [{}, false],
  ])('is recognized by its variables: %j %s', (environment, is) => {
    expect(detectSystem(environment) === gitlab).toBe(is);
  });

  it.each([
    ['shell', SHELL, 285_000, false, undefined],
    ['Docker', DOCKER, 12_000, true, '5s'],
    ['Kubernetes', KUBERNETES, 285_000, false, undefined],
    ['unknown', JOB, 285_000, false, undefined],
  ])('has the cancel window of its %s executor', (_, environment, ms, signalsAgent, grace) => {
    const job = gitlab.job(environment);
    expect(job.cancelWindow).toEqual({ mode: 'stay', jobMs: ms, mainMs: ms });
    expect(job.signalsAgent === true).toBe(signalsAgent);
    expect(job.agentIsGone === true).toBe(signalsAgent);
    expect(job.defaults?.['cancel_grace_period']).toBe(grace);
  });

  it('has its private folder and record where both of its scripts find them', () => {
    const environment = { ...DOCKER, RUNNER_TEMP_PROJECT_DIR: '/builds/acme/network.tmp' };
    expect(gitlab.job(environment)).toMatchObject({
      id: '7',
      temporaryDirectory: '/builds/acme/network.tmp',
      checkoutDirectory: '/builds/acme/network',
    });
  });

  it.each([
    ['canceled', true],
    ['failed', false],
    [undefined, false],
  ])('says in after_script whether it was cancelled: %s', (status, is) => {
    expect(gitlab.job({ ...JOB, CI_JOB_STATUS: status }).isCancelled).toBe(is);
  });
});

describe('the host for GitLab', () => {
  it('has an ID token where the pipeline sets one', async () => {
    const directory = await temporaryDirectory();
    const { requestIdToken } = dialect({ ...JOB, PULUMI_ID_TOKEN: 'a.b.c' }, directory);
    expect(await requestIdToken?.({ audience: 'audience' }, new AbortController().signal)).toBe('a.b.c');
    expect(dialect(JOB, directory).requestIdToken).toBeUndefined();
  });

  it('delivers outputs as reports, which a later delivery without any leaves alone', async () => {
    const directory = await temporaryDirectory();
    const { deliver } = dialect(JOB, directory);
    await deliver?.(new Map());
    expect(readdirSync(directory)).toEqual([]);
    await deliver?.(new Map([['outcome', 'succeeded']]));
    await deliver?.(new Map());
    expect(gitlabVariables(readFileSync(join(directory, 'pulumi-runner.env'), 'utf8'))).toEqual({
      PULUMI_RUNNER_OUTCOME: 'succeeded',
    });
    expect(readFileSync(join(directory, 'pulumi-runner-links.json'), 'utf8')).toBe('{}\n');
  });
});
