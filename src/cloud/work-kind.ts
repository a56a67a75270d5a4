import { fieldsOf, tokenClaims } from '../base/json.ts';

/*
 * Work that isn't a deployment, such as Pulumi Delivery's: how it would reach a runner isn't public. So whatever says
 * that it is of another kind is called by that name, and nothing else that it says names a stack or an operation.
 */

/** The fields in which a claim, a definition or a listed deployment could say its kind. */
const FIELDS = ['kind', 'workflowType', 'workflowKind', 'workflow_type', 'jobType', 'workType', '__type'];

/** What a deployment is called: in `enabled_workflow_types`, and as Pulumi's SDK names its types. */
const DEPLOYMENT = /^(?:pulumi[ _-]?)?deployments?$|^(?:AgentWorkflow|Deployment)(?:Definition|Job)?$/i;

/** A kind that may be shown. */
const NAME = /^[A-Za-z][\w .:/-]{0,60}$/;

/** The beginning of the subject in a deployment's OIDC token (protocol section 4), which names its kind. */
const SUBJECT = /^pulumi:([^:]*):/;

/** The name of a kind that can't be shown. */
const UNNAMED = '?';

/** The kind that a value says it is of, unless that is a deployment; undefined if it says none. */
export function otherKindIn(value: unknown): string | undefined {
  const fields = fieldsOf(value);
  return FIELDS.map((field) => otherKind(fields[field])).find((kind) => kind !== undefined);
}

/** A kind's name, unless it is a deployment's or nothing. */
export function otherKind(name: unknown): string | undefined {
  if (name === undefined || name === null || name === '') return undefined;
  if (typeof name !== 'string' || !NAME.test(name)) return UNNAMED;
  return DEPLOYMENT.test(name) ? undefined : name;
}

/** Whether a claim's OIDC token is a deployment's, or the name of its other kind; undefined if it doesn't say. */
export function kindOfToken(oidcToken: string | undefined): 'deployment' | { other: string } | undefined {
  const { sub } = tokenClaims(oidcToken ?? '');
  const [, kind] = (typeof sub === 'string' && SUBJECT.exec(sub)) || [];
  if (kind === undefined) return undefined;
  return kind === 'deploy' ? 'deployment' : { other: NAME.test(kind) ? kind : UNNAMED };
}
