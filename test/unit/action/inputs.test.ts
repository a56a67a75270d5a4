import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { AGENT_INPUTS } from '../../../src/action/input-text.ts';
import {
  ACTION_INPUTS,
  agentVariablesOf,
  forwardedNames,
  readInputs,
  readPublishingInputs,
} from '../../../src/action/inputs.ts';
import { ConfigError } from '../../../src/config/problem.ts';
import { inputVariable } from '../../emulators/github/action-manifest.ts';
import { temporaryDirectory } from './temporary-directory.ts';

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});

type Inputs = Readonly<Record<string, string>>;

function sources(inputs: Inputs, environment: Inputs = {}) {
  const given = Object.entries(inputs).map(([name, value]) => [inputVariable(name), value]);
  return {
    environment: { ...environment, ...Object.fromEntries(given) },
    idTokenFile: '/private/id-token',
    checkoutDirectory: join(directory, 'checkout'),
    workingDirectory: directory,
    homeDirectory: join(directory, 'home'),
    agentDirectory: join(directory, 'agent'),
  };
}

async function problemsOf(inputs: Inputs, environment?: Inputs): Promise<string[]> {
  const error = await readInputs(sources(inputs, environment)).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConfigError);
  const { outcome, problems } = error as ConfigError;
  expect(outcome).toBe('config-error');
  return problems.map(({ message }) => message);
}

const OIDC = { organization: 'acme', 'runner-pool-id': 'pool-1' };

describe('ca-certificate', () => {
  const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';

  test.each([
    ['ca.pem', () => join(directory, 'checkout', 'ca.pem')],
    ['/etc/ca.pem', () => '/etc/ca.pem'],
    [PEM, () => PEM],
  ])('is a path, from the workspace where it is relative, or a text: %j', async (text, expected) => {
    const { config, agentVariables } = await readInputs(sources({ ...OIDC, 'ca-certificate': text }));
    expect(config.caCertificate).toBe(expected());
    expect(agentVariables).toMatchObject({ PULUMI_AGENT_CA_CERTIFICATE: expected() });
  });

  test('is refused by its own name, and a key in it is not shown', async () => {
    expect(await problemsOf({ ...OIDC, 'ca-certificate': '-----BEGIN PRIVATE KEY-----\nhush' })).toEqual([
      'input ca-certificate holds a private key; give certificates alone',
    ]);
  });
});

describe('action.yml', () => {
  test('declares every input and output, and gives no default to a setting of the agent', async () => {
    const manifest = parse(await readFile(new URL('../../../action.yml', import.meta.url), 'utf8'));
    const defaults = Object.fromEntries(
      Object.entries<{ default?: string }>(manifest.inputs).map(([name, input]) => [name, input.default]),
    );
    const expected = [
      ...Object.keys(AGENT_INPUTS).map((name) => [name, undefined]),
      ...Object.entries(ACTION_INPUTS).map(([name, text]) => [name, text === '' ? undefined : text]),
    ];
    expect(defaults).toEqual(Object.fromEntries(expected));
    expect(manifest.runs).toMatchObject({ using: 'node24', 'post-if': 'always()' });
    // Only its program tells post from main, whatever main came to.
    expect(manifest.runs.post).not.toBe(manifest.runs.main);
  });
});

describe('readInputs', () => {
  test('tells the agent what was set, and nothing of what was not', async () => {
    const inputs = await readInputs(
      sources({
        ...OIDC,
        'runner-pool-name': ' my pool ',
        'env-forward-allowlist': 'AWS_REGION,\n AWS_ACCESS_KEY_ID',
        image: 'pulumi/pulumi:3',
        'service-url': '',
        'pull-image': 'false',
      }),
    );
    expect(inputs.agentVariables).toEqual({
      PULUMI_AGENT_ORGANIZATION_NAME: 'acme',
      PULUMI_AGENT_RUNNER_POOL_ID: 'pool-1',
      PULUMI_AGENT_RUNNER_POOL_NAME: 'my pool',
      PULUMI_AGENT_ENV_FORWARD_ALLOWLIST: 'AWS_REGION,\n AWS_ACCESS_KEY_ID',
      PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE: 'pulumi/pulumi:3',
      PULUMI_AGENT_PULL_IMAGE: 'false',
      PULUMI_AGENT_OIDC_TOKEN_FILE: '/private/id-token',
      PULUMI_AGENT_SINGLE_RUN: 'true',
    });
    expect(inputs.config.envForwardAllowlist).toEqual(['AWS_REGION', 'AWS_ACCESS_KEY_ID']);
    expect(inputs.idTokenAudience).toBe('urn:pulumi:org:acme');
    expect(inputs).toMatchObject({ onNoWork: 'succeed', uploadArtifact: 'always' });
    expect(inputs.config).toMatchObject({ pollingIntervalMs: 10_000, maxWaitMs: 300_000 });
    expect(inputs.config).toMatchObject({ httpServerPort: 0, httpServerAddress: '127.0.0.1' });
  });

  test('lets inputs beat the environment, that the file, and that the action’s own defaults', async () => {
    await writeFile(
      join(directory, 'pulumi-workflow-agent.yaml'),
      'polling_interval: 1s\nmax_wait: 2s\ncancel_grace_period: 3s\norganization_name: from-file\nrunner_pool_id: p\n',
    );
    const { config, idTokenAudience } = await readInputs(
      sources({ 'polling-interval': '7s' }, { PULUMI_AGENT_POLLING_INTERVAL: '8s', PULUMI_AGENT_MAX_WAIT: '9s' }),
    );
    expect(config).toMatchObject({
      pollingIntervalMs: 7_000,
      maxWaitMs: 9_000,
      cancelGracePeriodMs: 3_000,
      httpServerPort: 0,
      organizationName: 'from-file',
    });
    expect(idTokenAudience).toBe('urn:pulumi:org:from-file');
  });

  test.each([
    ['3m30s', []],
    [
      '5m',
      [
        expect.stringMatching(
          /not have the 5m0s of cancel-grace-period when the CI job is cancelled: .* 4m45s after its cancel.* 3m30s at most/,
        ),
      ],
    ],
  ])('warns of a cancel-grace-period that a cancelled CI job has no room for: %s', async (grace, expected) => {
    expect((await readInputs(sources({ ...OIDC, 'cancel-grace-period': grace }))).warnings).toEqual(expected);
  });

  test.each([
    ['an input', { token: 'pul-0123456789' }, {}, ''],
    ['the environment', {}, { PULUMI_AGENT_TOKEN: 'pul-0123456789' }, ''],
    ['the file', {}, {}, 'token: pul-0123456789\n'],
  ])('asks for no ID token when %s gives a static one', async (_, given, environment, file) => {
    if (file !== '') await writeFile(join(directory, 'pulumi-workflow-agent.yaml'), file);
    const { config, idTokenAudience, agentVariables } = await readInputs(sources(given, environment));
    expect(config.token).toBe('pul-0123456789');
    expect(idTokenAudience).toBeUndefined();
    expect(agentVariables).not.toHaveProperty('PULUMI_AGENT_OIDC_TOKEN_FILE');
  });

  test('asks for no ID token when somebody else writes one', async () => {
    const inputs = await readInputs(sources(OIDC, { PULUMI_AGENT_OIDC_TOKEN_FILE: '/run/token' }));
    expect(inputs.idTokenAudience).toBeUndefined();
    expect(inputs.config.oidcTokenFile).toBe('/run/token');
    expect(inputs.agentVariables).not.toHaveProperty('PULUMI_AGENT_OIDC_TOKEN_FILE');
  });

  test.each([
    ['', false],
    ['false', false],
    ['true', true],
    ['True', true],
  ])('with doctor: %j asks for the doctor: %j', async (doctor, asked) => {
    expect((await readInputs(sources({ ...OIDC, doctor }))).doctor).toBe(asked);
  });

  test('tells all problems at once, by the inputs’ names', async () => {
    const problems = await problemsOf({
      organization: 'acme',
      'polling-interval': '5 minutes',
      'service-url': 'http://example.com',
      'on-no-work': 'ignore',
      'upload-artifact': 'sometimes',
      'artifact-retention-days': '3.5',
      'http-server-port': '70000',
      'pull-image': 'maybe',
      doctor: 'maybe',
    });
    expect(problems).toHaveLength(9);
    for (const start of [
      'input polling-interval "5 minutes" has the unknown unit',
      'input http-server-port "70000" is not a whole number',
      'input pull-image "maybe" is neither true nor false',
      'input service-url would send tokens readable to example.com',
      'input runner-pool-id is required with this job',
      'input on-no-work "ignore" is not one of succeed, warn, fail',
      'input doctor "maybe" is neither true nor false',
      'input upload-artifact "sometimes" is not one of always, on-failure, never',
      'input artifact-retention-days "3.5" is not a whole number',
    ]) {
      expect(problems).toContainEqual(expect.stringContaining(start));
    }
  });

  test('tells a misspelt key of the file with its line, be the rest usable or not', async () => {
    await mkdir(join(directory, 'checkout'));
    await writeFile(join(directory, 'checkout', 'agent.yaml'), 'organization_name: acme\nrunner_pool_ib: 5s\n');
    const named = { 'config-file': 'agent.yaml' };
    const warning =
      'agent.yaml:2:1: "runner_pool_ib" is not a known key and has no effect; did you mean runner_pool_id?';
    const error = await readInputs(sources(named)).catch((e: Error) => e);
    expect(String(error)).toContain('input runner-pool-id is required');
    expect(String(error)).toContain(warning);
    const { warnings } = await readInputs(sources({ ...named, 'runner-pool-id': 'p' }));
    expect(warnings).toEqual([expect.stringContaining(warning)]);
  });

  test('refuses a second way to authenticate, and none', async () => {
    expect(await problemsOf({ ...OIDC, token: 'pul-0123456789' })).toEqual([
      "input runner-pool-id is for authenticating with this job's ID token, and input token is another way; keep one of them",
    ]);
    expect(await problemsOf(OIDC, { PULUMI_AGENT_TOKEN: 'pul-0123456789' })).toEqual([
      "input runner-pool-id is for authenticating with this job's ID token, and token is another way; keep one of them",
    ]);
    expect(await problemsOf({})).toEqual([
      expect.stringMatching(/^input organization is required/),
      expect.stringMatching(/^input runner-pool-id is required/),
    ]);
  });

  test('never shows a token that it refuses', async () => {
    const [problem] = await problemsOf({ token: 'pul-secret with blanks' });
    expect(problem).toContain('input token');
    expect(problem).not.toContain('secret');
  });
});

describe('what post reads', () => {
  test('takes a refused input as its default', () => {
    const { environment } = sources({
      'upload-artifact': 'x',
      'artifact-retention-days': '9',
      'artifact-name': 'n',
      image: 'i',
    });
    expect(readPublishingInputs(environment)).toEqual({
      uploadArtifact: 'always',
      artifactRetentionDays: 9,
      artifactName: 'n',
    });
    expect(agentVariablesOf(environment, '/checkout')).toEqual({
      PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE: 'i',
      PULUMI_AGENT_SINGLE_RUN: 'true',
    });
    expect(forwardedNames({ PULUMI_AGENT_ENV_FORWARD_ALLOWLIST: 'A B' })).toEqual(['A', 'B']);
  });
});
