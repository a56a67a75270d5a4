import type { Permission } from '../executor.ts';
import type { Cluster } from './cluster.ts';

interface Access {
  readonly resource: string;
  readonly needed?: readonly string[];
  readonly useful?: readonly string[];
  readonly purpose: string;
}

/** All that the target asks of a cluster: the Role of deploy/helm grants it. */
const ACCESS: readonly Access[] = [
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
  { resource: 'events', useful: ['list'], purpose: "a pod's failure is told without its events" },
  {
    resource: 'secrets',
    useful: ['create', 'patch', 'list', 'delete'],
    purpose: 'a deployment that comes with credentials of a registry fails, or leaves them behind',
  },
];
const TEMPLATE_ACCESS: Access = {
  resource: 'podtemplates',
  needed: ['create', 'patch', 'delete'],
  useful: ['list'],
  purpose: 'the pod template can not be merged, or what a dead agent left of that is not removed',
};

/** What the account of `cluster` needs there; with a pod template one thing more. */
export function permissionsIn(cluster: Cluster, hasTemplate: boolean): readonly Permission[] {
  return [...ACCESS, ...(hasTemplate ? [TEMPLATE_ACCESS] : [])].map(
    ({ resource, needed = [], useful = [], purpose }) => ({
      resource,
      needed,
      useful,
      purpose,
      review: async (signal) => {
        const verbs = [...needed, ...useful];
        const allowed = await Promise.all(verbs.map((verb) => isAllowed(cluster, { resource, verb, signal })));
        const refused = verbs.filter((_, index) => allowed[index] !== true);
        return { refused, remedy: remedy(resource, refused, await cluster.namespace()) };
      },
    }),
  );
}

/** Asks the API server itself (SelfSubjectAccessReview), which needs no permission. Throws what `Cluster.call` throws. */
export async function isAllowed(
  cluster: Cluster,
  { resource: name, verb, signal }: { resource: string; verb: string; signal: AbortSignal },
): Promise<boolean> {
  const group = 'authorization.k8s.io';
  const [resource, subresource] = name.split('/');
  const namespace = await cluster.namespace();
  const { status } = await cluster.call<{ status?: { allowed?: boolean } }>({
    subject: { verb: 'create', resource: 'selfsubjectaccessreviews', group, namespace: '' },
    method: 'POST',
    path: `/apis/${group}/v1/selfsubjectaccessreviews`,
    body: {
      apiVersion: `${group}/v1`,
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          namespace,
          verb,
          group: '',
          resource,
          ...(subresource === undefined ? {} : { subresource }),
        },
      },
    },
    signal,
  });
  return status?.allowed === true;
}

function remedy(resource: string, verbs: readonly string[], namespace: string): string {
  const list = verbs.map((verb) => `"${verb}"`).join(', ');
  return `Add the rule {apiGroups: [""], resources: ["${resource}"], verbs: [${list}]} to a Role in namespace ${namespace} that is bound to this account`;
}
