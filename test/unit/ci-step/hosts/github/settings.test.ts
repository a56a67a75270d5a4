import { writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ConfigError } from '../../../../../src/base/config/problem.ts';
import {
  ACTION_INPUTS,
  AGENT_INPUTS,
  agentEnvironment,
} from '../../../../../src/ci-step/hosts/github/inputs.ts';
import {
  readActionSettings,
  readPlanSettings,
  readPostSettings,
} from '../../../../../src/ci-step/hosts/github/settings.ts';
import { read } from '../../../../support/documents/pages.ts';
import { CONTEXT, stepIn } from '../../../../support/hosts/step.ts';
import { temporaryDirectory } from '../../../../support/run/temporary-directory.ts';

const ID_TOKEN_FILE = '/private/id-token';
const OIDC = { organization: 'acme', 'runner-pool-id': 'pool-1' };
type Texts = Readonly<Record<string, string>>;

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  for (const name of ['home', 'checkout', 'agent']) await mkdir(join(directory, name));
});

const inputsOf = (inputs: Texts, environment: Texts = {}) =>
  readActionSettings(stepIn(directory, inputs, { environment }), ID_TOKEN_FILE);
const readPlan = async (inputs: Texts) => readPlanSettings(stepIn(directory, inputs), ID_TOKEN_FILE);
const variablesOf = ({ engine }: Awaited<ReturnType<typeof readPlan>>) => engine.plan().environment;

async function problemsOf(reading: Promise<unknown>): Promise<string[]> {
  const error = await reading.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).problems.map(({ message }) => message);
}

describe('the manifests', () => {
  test('declare every input, and give no default to a setting of the agent', () => {
    const { inputs, runs } = parse(read('action.yml'));
    const defaults = Object.entries<{ default?: string }>(inputs).map(([name, input]) => [
      name,
      input.default,
    ]);
    expect(Object.fromEntries(defaults)).toEqual(
      Object.fromEntries([
        ...Object.keys(AGENT_INPUTS).map((name) => [name, undefined]),
        ...Object.entries(ACTION_INPUTS).map(([name, text]) => [name, text || undefined]),
      ]),
    );
    expect(runs).toMatchObject({ using: 'node24', 'post-if': 'always()' });
    // Post must know that it is post however main ended, so it needs its own program.
    expect(runs.post).not.toBe(runs.main);
  });

  test('include that of plan/, whose inputs match the action’s or are its own, without defaults', () => {
    const [plan, action] = [parse(read('plan/action.yml')), parse(read('action.yml'))];
    const known = [...Object.keys(AGENT_INPUTS), 'max', 'config-file'];
    expect(Object.keys(plan.inputs).filter((name) => !known.includes(name))).toEqual([]);
    for (const input of Object.values<{ default?: string }>(plan.inputs))
      expect(input.default).toBeUndefined();
    for (const name of [
      ...['operation', 'trigger-settings', 'trigger-jitter'],
      ...['access-token-scope', 'service-url', 'ca-certificate'],
    ])
      expect(plan.inputs[name]).toEqual(action.inputs[name]);
    expect(Object.keys(plan.outputs)).toEqual(['matrix', 'count', 'queued', 'started']);
    expect(plan.runs).toEqual({ using: 'node24', main: '../dist/plan/index.js' });
  });
});

describe('the inputs of the action', () => {
  test('give the agent what was set, and nothing else', async () => {
    const inputs = await inputsOf({
      ...OIDC,
      'runner-pool-name': ' my pool ',
      'env-forward-allowlist': 'AWS_REGION,\n AWS_ACCESS_KEY_ID',
      image: 'pulumi/pulumi:3',
      'service-url': '',
      'ca-certificate': 'ca.pem',
    });
    const given = Object.entries(variablesOf(inputs)).filter(([name]) => name.startsWith('PULUMI_'));
    expect(Object.fromEntries(given)).toEqual({
      PULUMI_AGENT_ORGANIZATION_NAME: 'acme',
      PULUMI_AGENT_RUNNER_POOL_ID: 'pool-1',
      PULUMI_AGENT_RUNNER_POOL_NAME: 'my pool',
      PULUMI_AGENT_ENV_FORWARD_ALLOWLIST: 'AWS_REGION,\n AWS_ACCESS_KEY_ID',
      PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE: 'pulumi/pulumi:3',
      // Paths are relative to the workspace.
      PULUMI_AGENT_CA_CERTIFICATE: join(directory, 'checkout/ca.pem'),
      PULUMI_AGENT_OIDC_TOKEN_FILE: ID_TOKEN_FILE,
      PULUMI_AGENT_SINGLE_RUN: 'true',
    });
    expect(inputs).toMatchObject({
      onNoWork: 'succeed',
      artifact: { upload: 'always' },
      doctor: false,
    });
    expect((await inputsOf({ ...OIDC, doctor: 'True' })).doctor).toBe(true);
    expect(inputs.tokenFile?.audience).toBe('urn:pulumi:org:acme');
    expect(inputs.config).toMatchObject({ pollingIntervalMs: 10_000, maxWaitMs: 300_000, httpServerPort: 0 });
    expect(inputs.engine.run('/run').args.join(' ')).toContain(
      '--label pulumi-runner.ci-run=acme/infra/actions/runs/77 ',
    );
  });

  test('take precedence over the environment, then the file, then the action’s own defaults', async () => {
    await writeFile(
      join(directory, 'checkout/my.yaml'),
      'polling_interval: 1s\nmax_wait: 2s\ncancel_grace_period: 3s\norganization_name: from-file\nrunner_pool_id: p\n',
    );
    const { config, tokenFile } = await inputsOf(
      { 'polling-interval': '7s', 'config-file': 'my.yaml' },
      { PULUMI_AGENT_POLLING_INTERVAL: '8s', PULUMI_AGENT_MAX_WAIT: '9s' },
    );
    expect(config).toMatchObject({ pollingIntervalMs: 7_000, maxWaitMs: 9_000, cancelGracePeriodMs: 3_000 });
    expect(tokenFile?.audience).toBe('urn:pulumi:org:from-file');
  });

  test.each([
    ['an input', { token: 'pul-0123456789' }, {}, ''],
    ['the environment', {}, { PULUMI_AGENT_TOKEN: 'pul-0123456789' }, ''],
    ['the file', {}, {}, 'token: pul-0123456789\n'],
    ['another program', OIDC, { PULUMI_AGENT_OIDC_TOKEN_FILE: '/run/token' }, ''],
  ])('request no ID token when %s gives one', async (_, given, environment, file) => {
    await writeFile(join(directory, 'checkout/my.yaml'), file);
    const inputs = await inputsOf({ ...given, 'config-file': 'my.yaml' }, environment);
    expect(inputs.tokenFile?.audience).toBeUndefined();
    expect(variablesOf(inputs)['PULUMI_AGENT_OIDC_TOKEN_FILE']).not.toBe(ID_TOKEN_FILE);
  });

  test('are never read from a workspace file that no input names', async () => {
    const file = join(directory, 'checkout/pulumi-workflow-agent.yaml');
    await writeFile(file, 'service_url: https://evil.example\n');
    expect((await inputsOf(OIDC)).configFile).toBeUndefined();
    const named = await inputsOf({ ...OIDC, 'config-file': 'pulumi-workflow-agent.yaml' });
    expect(named).toMatchObject({ configFile: file, config: { serviceUrl: 'https://evil.example' } });
    expect(named.engine.run('/run').args).toContain(file);
  });

  test('are never read from a file in the home directory or beside the agent, which is a warning, or added to the errors', async () => {
    const files = [
      'home/pulumi-workflow-agent.yaml',
      'home/pulumi-deployment-agent.yaml',
      'agent/pulumi-workflow-agent.yaml',
    ];
    for (const file of files)
      await writeFile(join(directory, file), 'organization_name: evil\nrunner_pool_id: p\n');
    const inputs = await inputsOf(OIDC);
    expect({ organizationName: inputs.config.organizationName, configFile: inputs.configFile }).toEqual({
      organizationName: 'acme',
      configFile: undefined,
    });
    expect(inputs.warnings).toHaveLength(files.length);
    for (const file of files)
      expect(inputs.warnings).toContainEqual(
        expect.stringMatching(new RegExp(`${file} is not read: .* config-file`)),
      );
    const error = await inputsOf({}).catch((reason: unknown) => reason);
    expect(String(error)).toMatch(
      /input organization is required[\s\S]*ignored: .*home\/pulumi-workflow-agent.yaml is not read/,
    );
    await writeFile(join(directory, 'checkout/my.yaml'), '');
    expect((await inputsOf({ ...OIDC, 'config-file': 'my.yaml' })).warnings).toEqual([]);
  });

  test('report every problem at once, by input name, without showing a secret', async () => {
    const problems = await problemsOf(
      inputsOf({
        token: 'pul-secret with blanks',
        'ca-certificate': '-----BEGIN PRIVATE KEY-----\nhush',
        'max-wait': 'soon',
        'on-no-work': 'ignore',
        doctor: 'maybe',
        'upload-artifact': 'sometimes',
        'artifact-retention-days': '3.5',
        'comment-on-pr': 'yes',
        'comment-on-pr-number': '#5',
      }),
    );
    for (const start of [
      'input token ',
      'input ca-certificate contains a private key; provide only certificates',
      'input max-wait "soon"',
      'input on-no-work "ignore" is not one of succeed, warn, fail',
      'input doctor "maybe" is not one of false, true',
      'input upload-artifact "sometimes" is not one of always, on-failure, never',
      'input artifact-retention-days "3.5" is not a whole number',
      'input comment-on-pr "yes" is not one of false, true',
      'input comment-on-pr-number "#5" is not the number of a pull request',
    ])
      expect(problems).toContainEqual(expect.stringContaining(start));
    expect(problems.join()).not.toMatch(/secret|hush/);
    expect(await problemsOf(inputsOf({}))).toEqual([
      expect.stringMatching(/^input organization is required/),
      expect.stringMatching(/^input runner-pool-id is required/),
    ]);
  });

  test('refuse a second way to authenticate', async () => {
    const sentence = (token: string) =>
      `input runner-pool-id is for authenticating with this job's ID token, and ${token} is another way; keep one of them`;
    expect(await problemsOf(inputsOf({ ...OIDC, token: 'pul-0123456789' }))).toEqual([
      sentence('input token'),
    ]);
    expect(await problemsOf(inputsOf(OIDC, { PULUMI_AGENT_TOKEN: 'pul-0123456789' }))).toEqual([
      sentence('token'),
    ]);
  });

  test('say of a re-run that it is about other deployments, and warn of it without work', async () => {
    const again = (inputs: Texts) =>
      readActionSettings(
        stepIn(directory, { ...OIDC, ...inputs }, { context: { ...CONTEXT, runAttempt: 3 } }),
        ID_TOKEN_FILE,
      );
    expect(await again({})).toMatchObject({
      onNoWork: 'warn',
      warnings: [
        "This is attempt 3 of the CI run. It claims the next deployment that waits, if there is one. It doesn't repeat the deployment of an earlier attempt: start that one again in Pulumi Cloud. The first attempt and its summary: https://github.com/acme/infra/actions/runs/77/attempts/1",
      ],
    });
    expect((await again({ 'on-no-work': 'fail' })).onNoWork).toBe('fail');
    const triggered = await again({ trigger: 'acme/web/prod', operation: 'refresh' });
    expect(triggered.warnings).toEqual([
      expect.stringMatching(/^This is attempt 3 of the CI run\. It starts its deployments again\. /),
    ]);
    expect((await again({ doctor: 'true' })).warnings).toEqual([]);
    const plan = (inputs: Texts) =>
      readPlanSettings(
        stepIn(directory, { ...OIDC, ...inputs }, { context: { ...CONTEXT, runAttempt: 3 } }),
        ID_TOKEN_FILE,
      );
    expect(plan({}).warnings).toEqual([]);
    expect(plan({ trigger: 'acme/web/prod', operation: 'refresh' }).warnings).toEqual(triggered.warnings);
  });

  test('warn about a forwarded secret whose short lines GitHub hides everywhere, without showing one', async () => {
    const forwarding = { ...OIDC, 'env-forward-allowlist': 'ACCOUNT KEY LINE PATH' };
    const { warnings, secrets } = await inputsOf(forwarding, {
      ACCOUNT: '{\n  "private_key": "canary"\n}',
      KEY: '-----BEGIN KEY-----\nMIIEvQIBADANBgkq\n-----END KEY-----\n',
      LINE: '{"private_key":"canary"}',
      PATH: '/bin\n/usr',
    });
    expect(secrets).toContain('{\n  "private_key": "canary"\n}');
    expect(warnings).toEqual([
      "ACCOUNT has lines of fewer than 8 characters. If it is one of GitHub's secrets, the runner hides each of its lines, such as a brace, and drops every job output that contains one. If it isn't, the action registers its lines of at least 8 characters with GitHub, or of at least 4 if no line has 8, and only this step hides the whole value. Store it as one line, or in base64.",
    ]);
  });

  test('warn about a cancel-grace-period that a cancelled CI job has no room for', async () => {
    expect((await inputsOf({ ...OIDC, 'cancel-grace-period': '3m30s' })).warnings).toEqual([]);
    expect((await inputsOf({ ...OIDC, 'cancel-grace-period': '5m' })).warnings).toEqual([
      expect.stringMatching(
        /not get the 5m0s of cancel-grace-period .* 4m45s after it is cancelled.* 3m30s at most/,
      ),
    ]);
  });
});

test('post replaces a bad input with its default, and takes a file only if it is a good one', () => {
  const inputs = { 'upload-artifact': 'x', 'artifact-retention-days': '9', 'artifact-name': 'n', image: 'i' };
  const environment = { PULUMI_AGENT_ENV_FORWARD_ALLOWLIST: 'A ACTIONS_B', ACTIONS_B: 'b', ACTIONS_C: 'c' };
  const { engine, ...settings } = readPostSettings(stepIn(directory, inputs, { environment }));
  const artifact = { upload: 'always', retentionDays: 9, name: 'n' };
  expect(settings).toEqual({ artifact, jobCancelled: false });
  const agent = engine.sweep('/run', 1).environment;
  expect(agent).toMatchObject({ PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE: 'i' });
  expect(Object.keys(agent).filter((name) => name.startsWith('ACTIONS_'))).toEqual([]);
  const filesOf = (text: string) => {
    writeFileSync(join(directory, 'checkout/my.yaml'), text);
    return readPostSettings(stepIn(directory, { 'config-file': 'my.yaml' }))
      .engine.sweep('/run', 1)
      .args.slice(-2);
  };
  expect(filesOf('image: i\n')).toEqual(['--config', join(directory, 'checkout/my.yaml')]);
  expect(filesOf('image: [\n')).toContain('--no-search');
});

test.each([
  ['cancelled', true],
  ['failure', false],
  ['', false],
  [`\${{ job.status }}`, false],
])('post takes the job status %j for a cancel: %s', (status, cancelled) => {
  expect(readPostSettings(stepIn(directory, { 'job-status': status })).jobCancelled).toBe(cancelled);
});

test('the agent sees the step’s environment without its inputs and GitHub’s tokens', () => {
  const step = {
    PATH: '/bin',
    RUNNER_TRACKING_ID: 'github_1',
    INPUT_TOKEN: 'pul-secret',
    'INPUT_RUNNER-POOL-ID': 'p',
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'secret',
    ACTIONS_WANTED: 'forwarded',
    input_lower: 'x',
    GONE: undefined,
    PULUMI_AGENT_MAX_WAIT: 'from-env',
  };
  expect(agentEnvironment(step, { max_wait: 'from-input' }, ['ACTIONS_WANTED'])).toEqual({
    PATH: '/bin',
    RUNNER_TRACKING_ID: 'github_1',
    ACTIONS_WANTED: 'forwarded',
    PULUMI_AGENT_MAX_WAIT: 'from-input',
    PULUMI_AGENT_SINGLE_RUN: 'true',
  });
});

describe('the inputs of plan/', () => {
  test("are the agent's settings, with the job's own ID token", async () => {
    const inputs = await readPlan({ ...OIDC, max: '20', trigger: 'acme/*/prod', operation: 'preview' });
    expect(inputs.config).toMatchObject({ planMax: 20, trigger: ['acme/*/prod'], operation: 'preview' });
    expect(inputs.tokenFile?.audience).toBe('urn:pulumi:org:acme');
    expect(variablesOf(inputs)).toMatchObject({
      PULUMI_AGENT_PLAN_MAX: '20',
      PULUMI_AGENT_TRIGGER: 'acme/*/prod',
      PULUMI_AGENT_OIDC_TOKEN_FILE: ID_TOKEN_FILE,
    });
    const signedIn = await readPlan({ ...OIDC, 'access-token': 'pul-1' });
    expect({ audience: signedIn.tokenFile?.audience, accessToken: signedIn.config.accessToken }).toEqual({
      audience: undefined,
      accessToken: 'pul-1',
    });
  });

  test('keep their own names in error messages', async () => {
    const problems = await problemsOf(readPlan({ max: '0', trigger: 'acme/web' }));
    expect(problems).toEqual([
      'input trigger "acme/web" is not of the form org/project/stack',
      'input max "0" is not a whole number from 1 to 999999',
      'input organization is required to plan jobs; set it (or PULUMI_AGENT_ORGANIZATION_NAME)',
      'input runner-pool-id is required to plan jobs; set it (or PULUMI_AGENT_RUNNER_POOL_ID)',
    ]);
  });
});
