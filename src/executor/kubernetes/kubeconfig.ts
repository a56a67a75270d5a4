import { KubeConfig } from '@kubernetes/client-node';
import { messageOf } from '../../base/outcome.ts';
import { ExecutorUnavailableError } from '../executor.ts';
import { oneLine } from '../one-line.ts';

/** Selects a kubeconfig, and a context in it. */
export interface KubeConfigChoice {
  /** Path of a kubeconfig; else KUBECONFIG, the home directory or the pod's service account. */
  readonly kubeconfig?: string | undefined;
  /** Its context; the current one if absent. */
  readonly kubeContext?: string | undefined;
}

/** Reads a kubeconfig. Throws ExecutorUnavailableError if there is none that names a cluster. */
export function readKubeConfig({ kubeconfig, kubeContext: context }: KubeConfigChoice): KubeConfig {
  const config = new KubeConfig();
  const named = kubeconfig ?? 'the kubeconfig';

  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    throw unreadable(named, error);
  }

  if (context !== undefined) config.setCurrentContext(context);

  const current = config.getContextObject(config.getCurrentContext());

  // Without any kubeconfig, the library makes up a server on localhost.
  const invented = kubeconfig === undefined && config.getCurrentCluster()?.server === 'http://localhost:8080';

  if (current === null || config.getCurrentCluster() === null || invented) {
    const names = config.getContexts().map(({ name }) => name);
    const why = invented
      ? 'there is no kubeconfig, and no service account of a pod'
      : `it has no context "${context ?? config.getCurrentContext()}" with a cluster${names.length === 0 ? '' : ` (it has ${names.join(', ')})`}`;

    throw unfound(named, why);
  }

  return config;
}

function unreadable(named: string, cause: unknown): ExecutorUnavailableError {
  const advice = 'Check the file, and that this user can read it.';
  const message = `Failed to read ${named} for the cluster: ${oneLine(messageOf(cause))}. ${advice}`;
  return new ExecutorUnavailableError(message, { code: 'PRA-K8S-02', cause });
}

function unfound(named: string, why: string): ExecutorUnavailableError {
  const advice =
    'Set KUBECONFIG or kubeconfig to a kubeconfig file, and kube_context to one of its contexts.';
  const message = `Failed to find the cluster for jobs in ${named}: ${why}. ${advice}`;
  return new ExecutorUnavailableError(message, { code: 'PRA-K8S-01' });
}
