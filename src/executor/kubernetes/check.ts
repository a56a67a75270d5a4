import type { V1Pod } from '@kubernetes/client-node';
import { type Access, type Permission, PROBE_MS } from '../executor.ts';
import type { Cluster } from './cluster.ts';
import { during, isNotFound } from './errors.ts';
import { execPath } from './exec/exec-stream.ts';

/**
 * All that jobs need of a cluster, as granted by the Role of deploy/helm. The last entry is for pod
 * templates only.
 */
const ACCESS: readonly Access[] = [
  {
    resource: 'pods',
    needed: ['create', 'get', 'delete'],
    // A watch lets `tryExec` open a WebSocket without a pod.
    useful: ['list', 'watch'],
    purpose:
      'the remains of dead agents are not removed, and a proxy that blocks WebSockets is not detected before a job is claimed',
  },
  {
    resource: 'pods/exec',
    // A WebSocket stream is requested with GET.
    needed: ['get'],
    useful: ['create'],
    purpose: 'no step can start once the cluster runs Kubernetes 1.35',
  },
  {
    resource: 'events',
    needed: [],
    useful: ['list'],
    purpose: "a pod's failure is reported without its events",
  },
  {
    resource: 'secrets',
    needed: [],
    useful: ['create', 'list', 'delete'],
    purpose: 'a deployment that comes with registry credentials fails, or leaves them behind',
  },
  {
    resource: 'podtemplates',
    needed: ['create', 'patch', 'delete'],
    useful: [],
    purpose: "the pod template can't be merged",
  },
];

/** The permissions that jobs need in `cluster`; a pod template needs one more. */
export function permissionsIn(cluster: Cluster, hasTemplate: boolean): readonly Permission[] {
  return ACCESS.slice(0, hasTemplate ? undefined : -1).map((access) => ({
    ...access,
    review: async (signal) => {
      const { resource, needed, useful } = access;
      const verbs = [...needed, ...useful];
      const allowed = await Promise.all(verbs.map((verb) => isAllowed(cluster, { resource, verb, signal })));
      const refused = verbs.filter((_, index) => allowed[index] !== true);
      const list = refused.map((verb) => `"${verb}"`).join(', ');
      const rule = `{apiGroups: [""], resources: ["${resource}"], verbs: [${list}]}`;
      const namespace = await cluster.namespace();

      return {
        refused,
        remedy: `Add the rule ${rule} to a Role in namespace ${namespace} that is bound to this account`,
      };
    },
  }));
}

/**
 * Dry-runs a pod against admission, quotas and permissions. Throws ExecutorUnavailableError or
 * ContainerError.
 */
export async function tryPod(cluster: Cluster, pod: V1Pod, signal: AbortSignal): Promise<void> {
  const query = { dryRun: 'All' };
  await during('try a pod', cluster.call({ verb: 'create', resource: 'pods', query, body: pod, signal }));
}

/**
 * Tries the request that starts a step, for a pod that doesn't exist. The API server's own 404
 * proves that the request gets through, but it comes before the WebSocket is opened. A watch over a
 * WebSocket proves that too, if the account may watch. Throws ExecutorUnavailableError.
 */
export async function tryExec(cluster: Cluster, pod: string, signal: AbortSignal): Promise<void> {
  const path = execPath(await cluster.namespace(), pod);
  const attempt = async () => {
    await absent(cluster.call({ verb: 'get', resource: 'pods/exec', path, isWebSocket: true, signal }));
    if (!(await isAllowed(cluster, { resource: 'pods', verb: 'watch', signal }))) return;
    const query = { watch: 'true', fieldSelector: `metadata.name=${pod}`, timeoutSeconds: '1' };
    await cluster.call({ verb: 'watch', resource: 'pods', query, isWebSocket: true, signal });
  };

  await during('try an exec request', attempt());
}

/**
 * Reads a pod that doesn't exist, which takes a permission that jobs need. Throws
 * ExecutorUnavailableError.
 */
export async function probeCluster(cluster: Cluster, signal: AbortSignal): Promise<void> {
  const call = {
    verb: 'get',
    resource: 'pods',
    name: 'pulumi-workflow-probe',
    ms: PROBE_MS,
    signal,
  } as const;

  await during('read a pod', absent(cluster.call(call)));
}

/** Waits for the API server's own 404. Throws as the call does otherwise. */
async function absent(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/**
 * Asks the API server (SelfSubjectAccessReview), which needs no permission. Throws as `Cluster.call` does.
 */
async function isAllowed(
  cluster: Cluster,
  { resource: name, verb, signal }: { resource: string; verb: string; signal: AbortSignal },
): Promise<boolean> {
  const group = 'authorization.k8s.io';
  const [resource, subresource] = name.split('/');

  const namespace = await cluster.namespace();
  const resourceAttributes = { namespace, verb, group: '', resource, subresource };

  const { status } = await cluster.call<{ status?: { allowed?: boolean } }>({
    verb: 'create',
    resource: 'selfsubjectaccessreviews',
    path: `/apis/${group}/v1/selfsubjectaccessreviews`,
    body: { apiVersion: `${group}/v1`, kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } },
    signal,
  });

  return status?.allowed === true;
}
