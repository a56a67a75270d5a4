import type { ErrorCode } from '../../base/error-codes.ts';
import { fieldsOf, parsedJson } from '../../base/json.ts';
import { type Fault, reasonOf } from '../../base/outcome.ts';
import { ContainerError, ExecutorUnavailableError } from '../executor.ts';
import { oneLine } from '../foreign-text.ts';

/** The subject of a call, enough to name the permission that it needs. */
export interface ApiSubject {
  readonly verb: string;
  /** As in a Role's rules: `pods`, `pods/exec`. */
  readonly resource: string;
  readonly namespace: string;
}

/** The API server answered with an error: its Status object, if it sent one. */
export class ApiRefusedError extends Error {
  override readonly name = 'ApiRefusedError';
  readonly status: number;
  /** Such as `NotFound`, `Forbidden` or `AlreadyExists`; empty if the body was no Status object. */
  readonly reason: string;
  readonly subject: ApiSubject;

  constructor(
    status: number,
    { reason, message, subject }: { reason: string; message: string; subject: ApiSubject },
  ) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.subject = subject;
  }
}

export class ApiAwayError extends ExecutorUnavailableError {}

/** True when the API server answered with one of `statuses`. */
export function refusedWith(error: unknown, ...statuses: number[]): error is ApiRefusedError {
  return error instanceof ApiRefusedError && statuses.includes(error.status);
}

/** True if the API server itself says that there is no such object; a proxy's own 404 has no reason. */
export function isNotFound(error: unknown): error is ApiRefusedError {
  return refusedWith(error, 404) && error.reason === 'NotFound';
}

/**
 * True if a retry can succeed: after no answer, a proxy's error, an overloaded server, or a
 * conflict over a quota.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof ApiAwayError || refusedWith(error, 429, 502, 503, 504)) return true;
  return (
    (refusedWith(error, 404) && error.reason === '') ||
    (refusedWith(error, 409) && error.reason === 'Conflict')
  );
}

/**
 * Parses an error answer: a Status (Kubernetes API conventions, "Response Status Kind"), or any
 * text from a proxy.
 */
export function refusal(status: number, body: string, subject: ApiSubject): ApiRefusedError {
  const { message, reason } = fieldsOf(parsedJson(body));
  if (typeof message === 'string') {
    // A refused patch prints all its values, which can be long, before the reason.
    const short = oneLine(message.replace(/Invalid value: "map\[.*\]": /s, ''));
    return new ApiRefusedError(status, { reason: String(reason ?? ''), message: short, subject });
  }
  return new ApiRefusedError(status, { reason: '', message: oneLine(body) || `HTTP ${status}`, subject });
}

export function unreachable(server: string, cause: unknown): ApiAwayError {
  return new ApiAwayError(
    `Failed to reach the Kubernetes API server at ${server}: ${oneLine(reasonOf(cause))}. Check the address in the kubeconfig, the network and the cluster.`,
    { code: 'PRA-K8S-03', cause },
  );
}

/** Refusals by webhooks and admission policies, which can judge the image that the deployment chose. */
const POLICY = /denied (the )?request|image policy webhook|rejected by webhook/;

/** Refusals of the node selector that the agent sets for the platform that the deployment chose. */
const OF_PLATFORM = /pod\.spec\.nodeSelector\[kubernetes\.io\/(os|arch)\]/;

/**
 * Turns an ApiRefusedError into the error for failing at `doing` ("create the pod"); returns others
 * unchanged.
 */
export function executorError(error: unknown, doing: string): unknown {
  if (!(error instanceof ApiRefusedError)) return error;

  const { subject, reason, message, status } = error;
  const { namespace, resource } = subject;

  const say = (
    ErrorClass: typeof ContainerError | typeof ExecutorUnavailableError,
    code: ErrorCode,
    why: string,
    { fault = 'executor', mayPass = false }: { readonly fault?: Fault; readonly mayPass?: boolean } = {},
  ) => new ErrorClass(`Failed to ${doing} for the job: ${why}`, { code, cause: error, fault, mayPass });

  if (status === 401) {
    const why = `the cluster does not accept these credentials (${message}). Renew the kubeconfig's user, or the service account's token.`;
    return say(ExecutorUnavailableError, 'PRA-K8S-05', why);
  }

  if (status === 403 && /exceeded quota/.test(message)) {
    const why = `the namespace's quota is used up: ${message}. Raise the ResourceQuota of namespace ${namespace}, run fewer jobs at once, or let each ask for less.`;
    return say(ContainerError, 'PRA-K8S-07', why);
  }

  if (status === 403 && /failed quota: .*must specify/s.test(message)) {
    const why = `the namespace's quota requires the pod to state its resources: ${message}. Set num-cpus and memory, or requests and limits in the pod template.`;
    return say(ContainerError, 'PRA-K8S-08', why);
  }

  // The message has the verb that was checked: for a WebSocket, requested with GET, it is another. Since 1.35 the API
  // server checks `create` for each WebSocket itself, and gives no reason (ensureAuthorizedForVerb in its pod's REST).
  const isUnexplained = resource === 'pods/exec' && / is forbidden:\s*$/.test(message);
  const checkedVerb = /cannot (\w+) resource/.exec(message)?.[1] ?? (isUnexplained ? 'create' : undefined);
  const verb = status === 403 ? checkedVerb : undefined;
  if (verb !== undefined) {
    const rule = `{apiGroups: [""], resources: ["${resource}"], verbs: ["${verb}"]}`;
    const why = `the cluster forbids it: this account can't ${verb} ${resource} in namespace ${namespace}. Add the rule ${rule} to a Role there that is bound to it. (${message})`;
    return say(ExecutorUnavailableError, 'PRA-K8S-06', why);
  }

  const isPolicy = POLICY.test(message);
  // The API server's own refusals have a reason; a webhook's can have none.
  if (reason === '' && !isPolicy && status < 500 && status !== 429) {
    const why = `a proxy or an ingress in front of the API server answered ${status} (${message.slice(0, 120)}). Have it let WebSockets and request lines of 2 KiB through, or use another address of the cluster in the kubeconfig.`;
    return say(ExecutorUnavailableError, 'PRA-K8S-11', why);
  }

  if (status === 403 || isPolicy) {
    const advice = /RuntimeClass/.test(message)
      ? 'Create that RuntimeClass, or correct container_runtime or the pod template.'
      : "Change the pod template to what the cluster's policies allow, or the policy.";
    const why = `an admission rule of the cluster refused it: ${message}. ${advice}`;
    const isForDeployment = isPolicy || OF_PLATFORM.test(message);
    return say(ContainerError, 'PRA-K8S-09', why, { fault: isForDeployment ? 'deployment' : 'executor' });
  }

  if (reason === 'Invalid' || status === 400 || status === 422) {
    const why = `the cluster calls it invalid: ${message}. Correct the pod template or the settings it comes from.`;
    return say(ContainerError, 'PRA-K8S-10', why);
  }

  const why = `the API server answered ${status}: ${message}. Check that the cluster is healthy.`;
  return say(ExecutorUnavailableError, 'PRA-K8S-12', why, { mayPass: true });
}

/** Awaits `work`; its error goes through `executorError` with `doing`. */
export async function during<T>(doing: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw executorError(error, doing);
  }
}
