import { isAllowed } from './access.ts';
import type { Cluster } from './cluster.ts';
import { ApiRefusedError, proxyError, refusedWith, targetError } from './errors.ts';
import { execPath } from './exec-request.ts';
import { JOB_CONTAINER } from './pod.ts';

/**
 * Tries the way that steps go, before any claim: the request that starts a step, for a pod that isn't there. The API server's own 404
 * proves that the account may, and that the request gets through. That is said before anyone looks whether it came as a WebSocket:
 * a watch over one proves that, where the account may watch pods. Throws ExecutorUnavailableError.
 */
export async function tryExec(cluster: Cluster, pod: string, signal: AbortSignal): Promise<void> {
  const namespace = await cluster.namespace();
  const open = (path: string, resource: 'pods' | 'pods/exec') => {
    const subject = { verb: 'get', resource, namespace } as const;
    return cluster.call<string>({ subject, method: 'GET', path, isWebSocket: true, isText: true, signal });
  };
  try {
    await open(execPath(namespace, pod, JOB_CONTAINER), 'pods/exec').catch((error: unknown) => {
      if (!refusedWith(error, 404) || error.reason === '') throw error;
    });
    if (!(await isAllowed(cluster, { resource: 'pods', verb: 'watch', signal }))) return;
    const query = new URLSearchParams({
      watch: 'true',
      fieldSelector: `metadata.name=${pod}`,
      timeoutSeconds: '1',
    });
    await open(`/api/v1/namespaces/${namespace}/pods?${query}`, 'pods');
  } catch (error) {
    const isProxys = error instanceof ApiRefusedError && error.reason === '' && error.status !== 429;
    throw isProxys ? proxyError(error, 'try an exec request') : targetError(error, 'try an exec request');
  }
}
