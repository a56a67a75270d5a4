import { messageOf } from '../../outcome.ts';
import { ContainerError, ExecutorUnavailableError } from '../executor.ts';
import { oneLine } from '../one-line.ts';

/** What was asked of the API server: enough to say which permission it takes. */
export interface ApiSubject {
  readonly verb: 'get' | 'list' | 'create' | 'delete' | 'patch';
  /** As in a Role's rules: `pods`, `pods/exec`. */
  readonly resource: string;
  readonly group?: string;
  readonly namespace: string;
  readonly name?: string;
}

/** The API server's answer was an error: its Status object, as far as there was one. */
export class ApiRefusedError extends Error {
  override readonly name = 'ApiRefusedError';
  /** The HTTP status. */
  readonly status: number;
  /** As in `NotFound`, `Forbidden`, `AlreadyExists`; empty when the body was no Status object. */
  readonly reason: string;
  readonly subject: ApiSubject;
  constructor(status: number, { reason, message, subject }: { reason: string; message: string; subject: ApiSubject }) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.subject = subject;
  }
}

/** True when the API server answered with one of `statuses`. */
export function refusedWith(error: unknown, ...statuses: number[]): error is ApiRefusedError {
  return error instanceof ApiRefusedError && statuses.includes(error.status);
}

/** Reads an error answer: a Status object (Kubernetes API conventions, "Response Status Kind"), or whatever a proxy sent. */
export function refusal(status: number, body: string, subject: ApiSubject): ApiRefusedError {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null && 'message' in parsed && typeof parsed.message === 'string') {
      const reason = 'reason' in parsed && typeof parsed.reason === 'string' ? parsed.reason : '';
      // Of a patch all values are shown, and they may be long: what is wrong with it stands behind them.
      const message = oneLine(parsed.message.replace(/Invalid value: "map\[.*\]": /s, ''));
      return new ApiRefusedError(status, { reason, message, subject });
    }
  } catch {
    // Not the API server's own words.
  }
  return new ApiRefusedError(status, { reason: '', message: oneLine(body) || `HTTP ${status}`, subject });
}

/** The rule that a Role lacks, as YAML in one line. */
export function missingRule({ verb, resource, group = '' }: Omit<ApiSubject, 'verb'> & { verb: string }): string {
  return `{apiGroups: ["${group}"], resources: ["${resource}"], verbs: ["${verb}"]}`;
}

/** The sentence for an error that stood in the way of `doing` ("create the pod"); errors of ours stay as they are. */
export function targetError(error: unknown, doing: string): unknown {
  if (!(error instanceof ApiRefusedError)) return error;
  const { subject, reason, message } = error;
  if (error.status === 401) {
    return new ExecutorUnavailableError(
      `Failed to ${doing} for the job: the cluster does not accept these credentials (${message}). Renew the kubeconfig's user, or the service account's token.`,
      { cause: error },
    );
  }
  if (error.status === 403 && /exceeded quota/.test(message)) {
    return new ContainerError(
      `Failed to ${doing} for the job: the namespace's quota is used up: ${message}. Raise the ResourceQuota of namespace ${subject.namespace}, run fewer jobs at once, or let each ask for less.`,
      { cause: error },
    );
  }
  if (error.status === 403 && /failed quota: .*must specify/s.test(message)) {
    return new ContainerError(
      `Failed to ${doing} for the job: the namespace's quota wants to know what the pod takes: ${message}. Set num-cpus and memory, or requests and limits in the pod template.`,
      { cause: error },
    );
  }
  // A WebSocket is asked for with GET, and checked as more than that.
  const [, verb] = (error.status === 403 && /cannot (\w+) resource/.exec(message)) || [];
  if (verb !== undefined) {
    return new ExecutorUnavailableError(
      `Failed to ${doing} for the job: the cluster forbids it: may not ${verb} ${subject.resource} in namespace ${subject.namespace}. Add the rule ${missingRule({ ...subject, verb })} to a Role there that is bound to this account. (${message})`,
      { cause: error },
    );
  }
  if (error.status === 403 || /admission webhook|denied (the )?request|violates PodSecurity/.test(message)) {
    return new ContainerError(
      `Failed to ${doing} for the job: an admission rule of the cluster refused it: ${message}. Change the pod template to what the cluster's policies allow, or the policy.`,
      { cause: error },
    );
  }
  // The answer to a stream can't be read. The API server itself would take it.
  if (subject.resource === 'pods/exec' && error.status < 500 && ![404, 429].includes(error.status))
    return proxyError(error, doing);
  if (reason === 'Invalid' || error.status === 400 || error.status === 422) {
    return new ContainerError(
      `Failed to ${doing} for the job: the cluster calls it invalid: ${message}. Correct the pod template or the settings it comes from.`,
      { cause: error },
    );
  }
  return new ExecutorUnavailableError(
    `Failed to ${doing} for the job: the API server answered ${error.status}: ${message}. Check that the cluster is healthy.`,
    { cause: error },
  );
}

/** The sentence for an answer that is not the API server's own. */
export function proxyError(error: ApiRefusedError, doing: string): ExecutorUnavailableError {
  return new ExecutorUnavailableError(
    `Failed to ${doing} for the job: a proxy or an ingress before the API server answered ${error.status} in its place (${error.message.slice(0, 120)}). Have it let WebSockets and request lines of 2 KiB through, or name another address of the cluster in the kubeconfig.`,
    { cause: error },
  );
}

/** No answer came from the API server. */
export class ApiAwayError extends ExecutorUnavailableError {}

/** True for what may be over in a moment: no answer, that of a proxy or a server that has too much to do, a quota that others were counted in meanwhile. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ApiAwayError) return true;
  return refusedWith(error, 429, 502, 503, 504) || (refusedWith(error, 409) && error.reason === 'Conflict');
}

/** The sentence for an API server that didn't answer. */
export function unreachable(server: string, cause: unknown): ApiAwayError {
  return new ApiAwayError(
    `Failed to reach the Kubernetes API server at ${server}: ${oneLine(messageOf(cause))}. Check the address in the kubeconfig, the network and the cluster.`,
    { cause },
  );
}
