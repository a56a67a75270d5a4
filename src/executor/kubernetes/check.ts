import type { V1Pod } from '@kubernetes/client-node';
import { defined } from '../../defined.ts';
import type { Permission } from '../executor.ts';
import type { Cluster } from './cluster.ts';
import { during, refusedWith } from './errors.ts';
import { execPath } from './exec/exec-stream.ts';

/** All that jobs take of a cluster, the last with a pod template alone: the Role of deploy/helm grants it. */
const ACCESS: readonly Omit<Permission, 'review'>[] = [
  {
    resource: 'pods',
    needed: ['create', 'get', 'delete'],
    // A watch needs no pod to try a WebSocket with.
    useful: ['list', 'watch'],
    purpose:
      'what dead agents left is not removed, and a proxy that lets no WebSocket through is not found before a job is claimed',
  },
  {
    resource: 'pods/exec',
    // A stream over WebSocket is asked for with GET.
    needed: ['get'],
    useful: ['create'],
    purpose: 'no step can be started once the cluster has Kubernetes 1.35',
  },
  { resource: 'events', needed: [], useful: ['list'], purpose: "a pod's failure is reported without its events" },
  {
    resource: 'secrets',
    needed: [],
    useful: ['create', 'list', 'delete'],
    purpose: 'a deployment that comes with credentials of a registry fails, or leaves them behind',
  },
  {
    resource: 'podtemplates',
    needed: ['create', 'patch', 'delete'],
    useful: [],
    purpose: 'the pod template can not be merged',
  },
];

/** What the account of `cluster` needs there; with a pod template one thing more. */
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

/** Has admission rules, quotas and permissions judge a pod as jobs will have one, before any claim. Throws ExecutorUnavailableError or ContainerError. */
export async function tryPod(cluster: Cluster, pod: V1Pod, signal: AbortSignal): Promise<void> {
  const query = { dryRun: 'All' };
  await during('try a pod', cluster.call({ verb: 'create', resource: 'pods', query, body: pod, signal }));
}

/**
 * Tries the way that steps go: the request that starts one, for a pod that isn't there. The API server's own 404 proves that it gets
 * through, but comes before a look at the WebSocket: a watch over one proves that, where the account may. Throws ExecutorUnavailableError.
 */
export async function tryExec(cluster: Cluster, pod: string, signal: AbortSignal): Promise<void> {
  const path = execPath(await cluster.namespace(), pod);
  const attempt = async () => {
    const exec = cluster.call({ verb: 'get', resource: 'pods/exec', path, isWebSocket: true, signal });
    await exec.catch((error: unknown) => {
      if (!refusedWith(error, 404) || error.reason === '') throw error;
    });
    if (!(await isAllowed(cluster, { resource: 'pods', verb: 'watch', signal }))) return;
    const query = { watch: 'true', fieldSelector: `metadata.name=${pod}`, timeoutSeconds: '1' };
    await cluster.call({ verb: 'watch', resource: 'pods', query, isWebSocket: true, signal });
  };
  await during('try an exec request', attempt());
}

/** Asks the API server itself (SelfSubjectAccessReview), which needs no permission. Throws what `Cluster.call` throws. */
async function isAllowed(
  cluster: Cluster,
  { resource: name, verb, signal }: { resource: string; verb: string; signal: AbortSignal },
): Promise<boolean> {
  const group = 'authorization.k8s.io';
  const [resource, subresource] = name.split('/');
  const resourceAttributes = defined({ namespace: await cluster.namespace(), verb, group: '', resource, subresource });
  const { status } = await cluster.call<{ status?: { allowed?: boolean } }>({
    verb: 'create',
    resource: 'selfsubjectaccessreviews',
    path: `/apis/${group}/v1/selfsubjectaccessreviews`,
    body: { apiVersion: `${group}/v1`, kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } },
    signal,
  });
  return status?.allowed === true;
}
