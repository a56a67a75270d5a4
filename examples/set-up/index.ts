// Everything outside of GitHub that pulumi-runner-action needs; Pulumi.yaml says how to run it.
//
// The state of this program holds the pool's static token, as the secret output `tokenValue`:
// anyone who can decrypt this stack's secrets can claim the pool's deployments and read their
// credentials. Nothing here uses that token.
import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import * as service from '@pulumi/pulumiservice';

const ISSUER = 'token.actions.githubusercontent.com';

const config = new pulumi.Config();
const organization = config.require('organization');
const repository = config.require('repository');
const branch = config.get('branch') ?? 'main';
const [project, stack, ...more] = config.require('stack').split('/');
if (!project || !stack || more.length > 0) throw new Error('Set stack as project/stack.');

// The subject of GitHub's ID token in jobs on the branch. Pulumi Cloud reads a `*` in it as any text.
const subject = config.get('subject') ?? `repo:${repository}:ref:refs/heads/${branch}`;
if (/[*?]|:pull_request$/.test(subject))
  throw new Error(`Name one branch or environment as subject, not ${subject}: any branch can have it.`);

const pool = new service.AgentPool('pool', {
  organizationName: organization,
  name: config.get('poolName') ?? 'private-network',
});

// For Pulumi Cloud, the audience is the organization.
const rules = { aud: `urn:pulumi:org:${organization}`, sub: subject };

new service.OidcIssuer('github', {
  organization,
  name: 'github',
  url: `https://${ISSUER}`,
  maxExpirationSeconds: 7200,
  policies: [
    // Claims and runs the pool's deployments.
    { decision: 'allow', tokenType: 'runner', runnerID: pool.agentPoolId, rules },
    // Starts deployments of every stack, and reads the queue: only `trigger` and plan/ need it.
    ...(config.getBoolean('startsDeployments') === true
      ? ([{ decision: 'allow', tokenType: 'organization', rules }] as const)
      : []),
  ],
});

// Merges into the stack's deployment settings: what it doesn't name stays, such as variables, OIDC and
// pre-run commands. service.DeploymentSettings would replace them all. Without retainOnDelete, removing
// this resource would clear them.
new service.api.deployments.Settings(
  'deployments',
  {
    orgName: organization,
    projectName: project,
    stackName: stack,
    agentPoolID: pool.agentPoolId,
    // Only for a stack that has no settings yet: over others, the source would change.
    ...(config.getBoolean('newSettings') === true && {
      sourceContext: { git: { branch: `refs/heads/${branch}`, repoDir: config.get('repoDir') ?? '.' } },
      // Pulumi's GitHub App gives access to the repository. A `true` lets pushes or pull requests
      // queue deployments, which wait for a run of the workflow.
      vcs: {
        provider: 'github',
        repository,
        deployCommits: false,
        previewPullRequests: false,
        pullRequestTemplate: false,
      },
    }),
  },
  { retainOnDelete: true },
);

// Without policies nothing is made in AWS; google/ and azure/ are for other clouds.
const policyArns = config.getObject<string[]>('policyArns') ?? [];
const role = policyArns.length > 0 ? awsRole(policyArns) : undefined;

/** The role that aws-actions/configure-aws-credentials takes in the workflow, for each stack of the pool. */
function awsRole(policies: readonly string[]): aws.iam.Role {
  // An AWS account can have one provider for an issuer.
  const providerArn =
    config.get('githubProviderArn') ??
    new aws.iam.OpenIdConnectProvider('github', {
      url: `https://${ISSUER}`,
      clientIdLists: ['sts.amazonaws.com'],
    }).arn;

  const made = new aws.iam.Role('deployments', {
    description: `Pulumi deployments by ${repository}`,
    maxSessionDuration: 7200,
    assumeRolePolicy: pulumi.jsonStringify({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Action: 'sts:AssumeRoleWithWebIdentity',
          Principal: { Federated: providerArn },
          Condition: {
            StringEquals: { [`${ISSUER}:aud`]: 'sts.amazonaws.com', [`${ISSUER}:sub`]: subject },
          },
        },
      ],
    }),
  });

  for (const [index, policyArn] of policies.entries())
    new aws.iam.RolePolicyAttachment(`deployments-${index}`, { role: made.name, policyArn });

  return made;
}

// Write these into the workflow; google/ needs the subject.
export { organization, subject };
export const poolId = pool.agentPoolId;
export const roleArn = role?.arn;
