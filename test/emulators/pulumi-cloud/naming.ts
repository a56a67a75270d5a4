import { createHash, randomBytes } from 'node:crypto';
import type { DeploymentRecord } from './deployment.ts';
import type { CloudSettings } from './options.ts';

type Named = Pick<DeploymentRecord, 'id' | 'project' | 'stack' | 'operation' | 'version'>;

/** What the token calls an operation: drift runs are a refresh's and an update's (protocol section 4). */
const OPERATIONS: Readonly<Record<string, string>> = {
  'detect-drift': 'refresh',
  'remediate-drift': 'update',
};

/** The OIDC token that Pulumi Cloud makes for a deployment, with its documented claims. No part reads the signature. */
export function oidcTokenOf(
  { project, stack, operation: asked, version }: Named,
  settings: CloudSettings,
): string {
  const { organization: org, clock } = settings;
  const operation = OPERATIONS[asked] ?? asked;
  const iat = Math.floor(clock() / 1000);
  const claims = {
    iss: 'https://api.pulumi.com/oidc',
    aud: org,
    sub: `pulumi:deploy:org:${org}:project:${project}:stack:${stack}:operation:${operation}:scope:write`,
    org,
    project,
    stack,
    stackId: createHash('sha256').update(`${project}/${stack}`).digest('hex').slice(0, 32),
    operation,
    deployment: String(version),
    scope: 'write',
    iat,
    nbf: iat,
    exp: iat + 3_600,
  };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256', kid: 'pulumi', typ: 'JWT' })}.${part(claims)}.${randomBytes(256).toString('base64url')}`;
}

/** The job with the variables that Pulumi Deployments sets; the stack's own come after them. A malformed job stays so. */
export function withNames(job: unknown, deployment: Named, settings: CloudSettings): unknown {
  if (typeof job !== 'object' || job === null || Array.isArray(job)) return job;
  const { env = {} } = job as { env?: unknown };
  if (typeof env !== 'object' || env === null || Array.isArray(env)) return job;
  const { id, project, stack, operation, version } = deployment;
  const variables = {
    SYSTEM: 'Pulumi Deployments',
    ORGANIZATION: settings.organization,
    PROJECT: project,
    STACK: stack,
    OPERATION: operation,
    BUILD_ID: id,
    BUILD_NUMBER: String(version),
    BUILD_URL: pageOf(deployment, settings),
  };
  const named = Object.entries(variables).map(([name, value]) => [`PULUMI_CI_${name}`, value]);
  return { ...job, env: { ...Object.fromEntries(named), ...env } };
}

/** A deployment's page in the console. */
export function pageOf(
  { project, stack, version }: Named,
  { consoleUrl, organization }: CloudSettings,
): string {
  return `${consoleUrl}/${organization}/${project}/${stack}/deployments/${version}`;
}
