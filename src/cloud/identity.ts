import { tokenClaims } from '../base/json.ts';
import type { Identity, StackName } from '../base/stack.ts';
import type { DeploymentView } from './deployment-wire.ts';
import { deploymentUrl, type Service } from './organization-wire.ts';
import type { JobValue } from './secret-value.ts';
import { kindOfToken, otherKind } from './work-kind.ts';

/** A deployment's identity and, where known, its page in Pulumi's console. */
export interface NamedDeployment {
  readonly identity: Identity;
  readonly deploymentUrl?: string | undefined;
}

/**
 * The names that Pulumi allows: up to 100 letters, digits, `-`, `_` and `.`. A name of dots alone
 * would be a path.
 */
const NAME = /^(?!\.+$)[A-Za-z0-9._-]{1,100}$/;

/** Such as `update` or `detect-drift`. */
const OPERATION = /^[a-z]{1,20}(?:-[a-z]{1,20}){0,3}$/;
const VERSION = /^[1-9][0-9]{0,8}$/;

/**
 * The deployment that a claim's OIDC token names (protocol section 4). It arrived with the claim
 * from Pulumi Cloud over TLS, so its signature isn't checked. Undefined if there is no token, one
 * without a valid stack, or one of work of another kind.
 */
export function identityOfToken(oidcToken: string | undefined, service: Service) {
  if (typeof kindOfToken(oidcToken) === 'object') return undefined;

  const { org, project, stack, operation, deployment } = tokenClaims(oidcToken ?? '');
  const identity = identityOf({ organization: org, project, stack, operation, version: deployment }, true);
  return identity && namedDeployment(identity, service);
}

/**
 * The deployment that a job's own variables name (protocol section 4), which any writer of the
 * stack can set. Undefined without a valid stack, or if they speak of another deployment than
 * `deploymentId`. Marked values stay secret.
 */
export function identityOfVariables(
  variables: Readonly<Record<string, JobValue>>,
  { service, deploymentId }: { readonly service: Service; readonly deploymentId: string },
): NamedDeployment | undefined {
  const value = (name: string): string | undefined => {
    const { value: text = '', secret = false } = variables[`PULUMI_CI_${name}`] ?? {};
    return secret || text === '' ? undefined : text;
  };

  if ((value('BUILD_ID') ?? deploymentId) !== deploymentId) return undefined;

  const [organization, project, stack] = [value('ORGANIZATION'), value('PROJECT'), value('STACK')];
  const [operation, version] = [value('OPERATION'), value('BUILD_NUMBER')];
  const identity = identityOf({ organization, project, stack, operation, version }, false);

  return identity && namedDeployment(identity, service);
}

/**
 * The part of Pulumi that a job's own variables name as what runs it, where that isn't Pulumi
 * Deployments. A stack's variables can name a system of its own.
 */
export function kindOfVariables(variables: Readonly<Record<string, JobValue>>): string | undefined {
  const { value, secret = false } = variables['PULUMI_CI_SYSTEM'] ?? {};
  return !secret && value?.startsWith('Pulumi ') ? otherKind(value) : undefined;
}

/**
 * The deployment once Pulumi Cloud has shown its ID below that stack: its names are then proven,
 * and what its own variables said besides no longer counts.
 */
export function provenBy(
  { identity }: NamedDeployment,
  { version, pulumiOperation: operation }: DeploymentView,
  service: Service,
): NamedDeployment | undefined {
  const proven = identityOf({ ...identity, operation, version }, true);
  return proven && namedDeployment(proven, service);
}

/** The deployment with its page, which its names make: an address from the job could lead anywhere. */
function namedDeployment(identity: Identity, service: Service): NamedDeployment {
  return { identity, deploymentUrl: deploymentUrl(service, identity, identity) };
}

/**
 * Every field may be hostile text: an unfit name refuses the whole, another unfit field is left
 * out.
 */
function identityOf(
  fields: Readonly<Record<keyof StackName | 'operation' | 'version', unknown>>,
  proven: boolean,
): Identity | undefined {
  const { organization, project, stack, operation, version } = fields;
  if (!isName(organization) || !isName(project) || !isName(stack)) return undefined;
  return {
    organization,
    project,
    stack,
    operation: typeof operation === 'string' && OPERATION.test(operation) ? operation : undefined,
    version: versionOf(version),
    proven,
  };
}

function versionOf(value: unknown): number | undefined {
  // Not of an object: the conversion of one to a text can throw.
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && VERSION.test(text) ? Number(text) : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}
