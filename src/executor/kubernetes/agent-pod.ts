import { readFile } from 'node:fs/promises';
import type { V1Pod } from '@kubernetes/client-node';
import { fieldsOf, tokenClaims } from '../../base/json.ts';
import { messageOf } from '../../base/outcome.ts';
import { type Logger, PROBE_MS } from '../executor.ts';
import type { Cluster } from './cluster.ts';
import { isNotFound } from './errors.ts';

/** The annotation that names the pod of a job's agent: `<namespace>/<name>/<UID>`. */
export const AGENT_POD = 'pulumi-runner.agent-pod';

/** The path at which kubelets put the token of a pod's service account. */
const TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** A mark whose parts are safe in a path. */
const MARK = /^([a-z0-9-]+)\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)\/([0-9a-f-]+)$/;

/**
 * The mark for this agent's own pod, as its token names it. Undefined unless the jobs' cluster
 * shows that very pod: its absence in another cluster would look like its end. `tokenFile` replaces
 * the service account's own. Never throws.
 */
export async function ownPod(
  cluster: Cluster,
  tokenFile: string | undefined,
  logger: Logger,
  signal: AbortSignal,
): Promise<string | undefined> {
  const token = await readFile(tokenFile ?? TOKEN, 'utf8').catch(() => '');
  const { namespace, pod } = fieldsOf(tokenClaims(token)['kubernetes.io']);
  const { name, uid } = fieldsOf(pod);
  const mark = `${namespace}/${name}/${uid}`;
  if (!MARK.test(mark)) return undefined;

  try {
    if ((await podAt(cluster, mark, signal)).metadata?.uid === uid) return mark;
    logger('debug', `The jobs' cluster has another pod in place of the agent's own, ${mark}.`);
  } catch (error) {
    logger('debug', `The jobs' cluster does not show the agent's own pod ${mark}: ${messageOf(error)}.`);
  }

  return undefined;
}

/**
 * True if the API server itself says that the marked pod is gone or has ended; a refusal or no
 * answer proves nothing.
 */
export async function isAgentGone(cluster: Cluster, mark: string, signal: AbortSignal): Promise<boolean> {
  if (!MARK.test(mark)) return false;

  try {
    const { metadata, status } = await podAt(cluster, mark, signal);

    // A pod of the same name came later.
    if (metadata?.uid !== undefined && !mark.endsWith(`/${metadata.uid}`)) return true;

    const containers = status?.containerStatuses ?? [];

    // A lost node's pod gets such a phase too, but its containers are not known to have ended.
    const hasEnded =
      containers.length > 0 && containers.every(({ state }) => state?.terminated !== undefined);

    return hasEnded && /^(Failed|Succeeded)$/.test(status?.phase ?? '');
  } catch (error) {
    signal.throwIfAborted();
    return isNotFound(error);
  }
}

function podAt(cluster: Cluster, mark: string, signal: AbortSignal): Promise<V1Pod> {
  const [, namespace, name] = MARK.exec(mark) ?? [];
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  return cluster.call<V1Pod>({ verb: 'get', resource: 'pods', path, ms: PROBE_MS, signal });
}
