import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { scriptOutput } from '../../support/script.ts';

type Inputs = Readonly<Record<string, unknown>>;

/** What the test uses of @pulumi/pulumi, which only the program's own folder has. */
interface Pulumi {
  readonly runtime: {
    setMocks(
      mocks: { newResource(args: Resource): object; call(args: object): object },
      project: string,
      stack: string,
    ): Promise<void>;
    setAllConfig(config: Readonly<Record<string, string>>): void;
  };
}

interface Resource {
  readonly type: string;
  readonly name: string;
  readonly inputs: Inputs;
}

const POOL_ID = '7a1c0e52-0000-4000-8000-000000000000';
const ARN = 'arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com';
const GITHUB = 'token.actions.githubusercontent.com';

const ISSUER = 'pulumiservice:index:OidcIssuer';
const POOL = 'pulumiservice:index:AgentPool';
const SETTINGS = 'pulumiservice:api/deployments:Settings';
const PROVIDER = 'aws:iam/openIdConnectProvider:OpenIdConnectProvider';
const ROLE = 'aws:iam/role:Role';
const ATTACHMENT = 'aws:iam/rolePolicyAttachment:RolePolicyAttachment';

const GIVEN = {
  organization: 'acme',
  repository: 'acme/infrastructure',
  stack: 'network/prod',
  policyArns: '["arn:aws:iam::123456789012:policy/network"]',
};

let folder: string;

beforeAll(async () => {
  folder = (await scriptOutput('set-up-program', [])).trim();
  // As Pulumi's host for Node.js compiles it; it fails if a type is wrong.
  const compiler = join(folder, 'node_modules/.bin/tsc');
  await promisify(execFile)(compiler, ['-p', folder]).catch(({ stdout }) => {
    throw new Error(`The program does not compile:\n${stdout}`);
  });
});

/** Runs the program with this configuration; returns its resources, by type, once there are `count`. */
async function resourcesOf(config: Readonly<Record<string, string>>, count: number) {
  const require = createRequire(join(folder, 'index.ts'));
  const { runtime }: Pulumi = require('@pulumi/pulumi');
  const resources: Resource[] = [];

  const newResource = (resource: Resource) => {
    resources.push(resource);
    const made: Readonly<Record<string, object>> = {
      [POOL]: { agentPoolId: POOL_ID },
      [PROVIDER]: { arn: ARN },
      [ROLE]: { name: 'deployments-1a2b', arn: 'arn:aws:iam::123456789012:role/deployments-1a2b' },
    };
    return { id: `${resource.name}-id`, state: { ...resource.inputs, ...made[resource.type] } };
  };

  await runtime.setMocks({ newResource, call: () => ({}) }, 'pulumi-runner-set-up', 'test');
  runtime.setAllConfig(
    Object.fromEntries(Object.entries(config).map(([key, value]) => [`pulumi-runner-set-up:${key}`, value])),
  );

  const program = join(folder, 'bin/index.js');
  delete require.cache[program];
  require(program);
  await vi.waitFor(() => expect(resources.length).toBe(count), { timeout: 10_000 });

  return Map.groupBy(resources, ({ type }) => type);
}

const inputsOf = (resources: Awaited<ReturnType<typeof resourcesOf>>, type: string): Inputs[] =>
  (resources.get(type) ?? []).map(({ inputs }) => inputs);

/** The conditions under which AWS gives the role. */
function trustOf(resources: Awaited<ReturnType<typeof resourcesOf>>) {
  const [role] = inputsOf(resources, ROLE);
  return JSON.parse(String(role?.['assumeRolePolicy'])).Statement;
}

describe('the program of examples/set-up', () => {
  it('trusts one branch in Pulumi Cloud and AWS, each with its own audience, and gives the stack the pool', async () => {
    const resources = await resourcesOf(GIVEN, 6);
    const sub = 'repo:acme/infrastructure:ref:refs/heads/main';
    const rules = { aud: 'urn:pulumi:org:acme', sub };

    expect(inputsOf(resources, POOL)).toEqual([{ organizationName: 'acme', name: 'private-network' }]);
    expect(inputsOf(resources, ISSUER)).toEqual([
      {
        organization: 'acme',
        name: 'github',
        url: `https://${GITHUB}`,
        maxExpirationSeconds: 7200,
        policies: [{ decision: 'allow', tokenType: 'runner', runnerID: POOL_ID, rules }],
      },
    ]);
    // Nothing else: it is merged into the stack's settings.
    const stack = { orgName: 'acme', projectName: 'network', stackName: 'prod' };
    expect(inputsOf(resources, SETTINGS)).toEqual([{ ...stack, agentPoolID: POOL_ID }]);

    expect(inputsOf(resources, PROVIDER)).toEqual([
      { url: `https://${GITHUB}`, clientIdLists: ['sts.amazonaws.com'] },
    ]);
    expect(trustOf(resources)).toEqual([
      {
        Effect: 'Allow',
        Action: 'sts:AssumeRoleWithWebIdentity',
        Principal: { Federated: ARN },
        Condition: { StringEquals: { [`${GITHUB}:aud`]: 'sts.amazonaws.com', [`${GITHUB}:sub`]: sub } },
      },
    ]);
    expect(inputsOf(resources, ROLE)).toMatchObject([{ maxSessionDuration: 7200 }]);
    expect(inputsOf(resources, ATTACHMENT)).toEqual([
      { role: 'deployments-1a2b', policyArn: 'arn:aws:iam::123456789012:policy/network' },
    ]);
  });

  it('makes nothing in AWS without policies, and the settings of a stack that has none', async () => {
    const { policyArns: _, ...given } = GIVEN;
    const resources = await resourcesOf({ ...given, newSettings: 'true' }, 3);
    expect([...resources.keys()].toSorted()).toEqual([POOL, ISSUER, SETTINGS].toSorted());
    expect(inputsOf(resources, SETTINGS)).toMatchObject([
      {
        agentPoolID: POOL_ID,
        sourceContext: { git: { branch: 'refs/heads/main', repoDir: '.' } },
        vcs: { provider: 'github', repository: 'acme/infrastructure', deployCommits: false },
      },
    ]);
  });

  it('takes another subject, in every rule, and the OIDC provider that the account has', async () => {
    const subject = 'repo:acme@123/infrastructure@456:environment:prod';
    const other = 'arn:aws:iam::123456789012:oidc-provider/other';
    const given = { ...GIVEN, subject, githubProviderArn: other, startsDeployments: 'true' };
    const resources = await resourcesOf(given, 5);
    const [issuer] = inputsOf(resources, ISSUER);

    expect(issuer?.['policies']).toMatchObject([
      { tokenType: 'runner', rules: { sub: subject } },
      { tokenType: 'organization', rules: { sub: subject } },
    ]);
    expect(trustOf(resources)).toMatchObject([
      { Principal: { Federated: other }, Condition: { StringEquals: { [`${GITHUB}:sub`]: subject } } },
    ]);
    expect(inputsOf(resources, PROVIDER)).toEqual([]);
  });

  it.each([
    { subject: 'repo:acme/infrastructure:*' },
    { subject: 'repo:acme/infrastructure:ref:refs/heads/release-?' },
    { subject: 'repo:acme/infrastructure:pull_request' },
    { branch: '*' },
    { repository: 'acme/*' },
  ])('refuses a subject that any branch can have: %j', async (given) => {
    await expect(resourcesOf({ ...GIVEN, ...given }, 0)).rejects.toThrow('any branch can have it');
  });

  it('refuses a stack that is not project/stack', async () => {
    await expect(resourcesOf({ ...GIVEN, stack: 'acme/network/prod' }, 0)).rejects.toThrow(
      'Set stack as project/stack.',
    );
  });
});
