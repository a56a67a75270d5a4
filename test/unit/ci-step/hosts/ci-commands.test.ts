import { expect, it } from 'vitest';
import { type CiFlags, readCiSettings } from '../../../../src/ci-step/hosts/ci-commands.ts';
import type { CiPhase } from '../../../../src/ci-step/hosts/ci-system.ts';
import { gitlab } from '../../../../src/ci-step/hosts/gitlab/gitlab.ts';
import { terminal } from '../../../../src/ci-step/hosts/terminal/terminal.ts';

const FLAGS: CiFlags = {
  defaults: {},
  overrides: { token: 'pul-0123456789abcdef' },
  labels: {},
  identity: { variable: 'MY_ID_TOKEN' },
  onNoWork: 'succeed',
  doctor: false,
};

const job = { ...terminal.job({}), credentials: ['CI_JOB_TOKEN'], trackingVariables: ['COOKIE'] };
const VARIABLES = { CI_JOB_TOKEN: 'c', MY_ID_TOKEN: 'm', COOKIE: 'k', AWS_REGION: 'eu' };

/** The settings of a step with these variables. */
function settingsOf(more: Partial<CiFlags> = {}, over: Partial<CiPhase['job']> = {}, environment = {}) {
  const phase = {
    owner: { host: 'elsewhere', pid: 1, started: 'x' },
    interrupted: new AbortController().signal,
    cancelled: new AbortController().signal,
    now: Date.now,
    steady: () => 0,
    environment: { ...VARIABLES, ...environment },
    stdout: process.stdout,
    workingDirectory: '/checkout',
    checkoutDirectory: '/checkout',
    stateDirectory: '/private',
    job: { ...job, ...over },
  };
  const program = { nodePath: '/usr/bin/node', script: '/agent/index.js', directory: '/checkout' };
  return readCiSettings({ phase, program, flags: { ...FLAGS, ...more } }, '/private/id-token');
}

it('a CI system’s credentials do not reach the agent', async () => {
  const { environment } = (await settingsOf()).engine.run('/record');
  expect(environment).toMatchObject({ AWS_REGION: 'eu', PULUMI_AGENT_TOKEN: 'pul-0123456789abcdef' });
  expect(environment).not.toHaveProperty('CI_JOB_TOKEN');
  expect(environment).not.toHaveProperty('MY_ID_TOKEN');
  expect(environment).not.toHaveProperty('COOKIE');
});

it('of GitLab’s variables those with the system’s own credentials stay behind, a second ID token does not', async () => {
  const { credentials } = gitlab.job({});
  const tokens = { PULUMI_ID_TOKEN: 'one', VAULT_ID_TOKEN: 'for a hook', CI_JOB_TOKEN: 'two' };
  const { environment } = (await settingsOf({}, { credentials }, tokens)).engine.run('/record');
  expect(environment).toMatchObject({ VAULT_ID_TOKEN: 'for a hook' });
  for (const name of ['PULUMI_ID_TOKEN', 'CI_JOB_TOKEN']) expect(environment).not.toHaveProperty(name);
});

it('one that is forwarded by name reaches the agent, which withholds it from its helpers', async () => {
  const overrides = { ...FLAGS.overrides, env_forward_allowlist: 'CI_JOB_TOKEN AWS_REGION' };
  const { environment } = (await settingsOf({ overrides })).engine.run('/record');
  expect(environment).toMatchObject({ CI_JOB_TOKEN: 'c', PULUMI_RUNNER_WITHHELD: 'CI_JOB_TOKEN' });
  expect(environment).not.toHaveProperty('MY_ID_TOKEN');
});

it('the variable with the CI job’s ID token is never forwarded, whatever its name', async () => {
  const overrides = { ...FLAGS.overrides, env_forward_allowlist: 'AWS_REGION MY_ID_TOKEN' };
  await expect(settingsOf({ overrides })).rejects.toThrow(
    'env_forward_allowlist names MY_ID_TOKEN: with it, a deployment could act as this agent or its CI job',
  );
});

it('the authority of the command line is trusted for the ID token too', async () => {
  const overrides = { organization_name: 'acme', runner_pool_id: 'pool-1', ca_certificate: '/ca.pem' };
  expect((await settingsOf({ overrides })).tokenFile).toEqual({
    path: '/private/id-token',
    audience: 'urn:pulumi:org:acme',
    caCertificate: '/ca.pem',
  });
});

it('a grace period that the cancel window cuts is a warning with both times', async () => {
  const cancelWindow = { mode: 'stay', jobMs: 12_000, mainMs: 12_000 } as const;
  expect((await settingsOf()).warnings).toEqual([]);
  expect((await settingsOf({}, { cancelWindow })).warnings).toEqual([
    expect.stringMatching(
      /will not get the 2m0s of cancel_grace_period .* ends 12s after .* leaves a step 6s at most/,
    ),
  ]);
});
