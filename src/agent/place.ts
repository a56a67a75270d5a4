import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { AgentConfig } from '../config/agent-config.ts';
import { createDockerExecutor } from '../executor/docker/docker-executor.ts';
import { type Executor, ExecutorUnavailableError } from '../executor/executor.ts';
import type { Place } from '../record/schema.ts';
import { clusterProxy } from './cluster-proxy.ts';
import { type ExecutorSources, kubernetes } from './executor-choice.ts';

type Environment = ExecutorSources['environment'];
type ClusterPlace = Extract<Place, { readonly target: 'kubernetes' }>;

/**
 * Where the configuration has jobs run, for whoever sweeps there later. Undefined where that can't be told: a sweep then goes by
 * the configuration. Never throws.
 */
export async function placeOf(
  { deployTarget, kubeconfig, kubeContext, namespace }: AgentConfig,
  environment: Environment,
): Promise<Place | undefined> {
  if (deployTarget !== 'kubernetes') return { target: 'docker' };
  try {
    // Throws where there is no working directory any more, or nobody's home.
    const file = kubeconfig ?? kubeconfigOf(environment);
    const { Cluster } = await kubernetes();
    const cluster = new Cluster({
      ...(file === undefined ? {} : { kubeconfig: file }),
      ...(kubeContext === undefined ? {} : { context: kubeContext }),
      ...(namespace === undefined ? {} : { namespace }),
    });
    return {
      target: 'kubernetes',
      ...(file === undefined ? {} : { kubeconfig: file }),
      context: (await cluster.config()).getCurrentContext(),
      server: bare(await cluster.server()),
      namespace: await cluster.namespace(),
    };
  } catch {
    return undefined;
  }
}

/** The file that a cluster is found in by default, where it is one. */
function kubeconfigOf(environment: Environment): string | undefined {
  const [named, ...more] = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (named !== undefined) return more.length > 0 ? undefined : resolve(named);
  const own = join(environment['HOME'] ?? homedir(), '.kube', 'config');
  return existsSync(own) ? own : undefined;
}

/** An address without user and password. */
function bare(server: string): string {
  const url = URL.parse(server);
  if (url === null) return '';
  url.username = '';
  url.password = '';
  return url.href;
}

/** The place itself, to sweep there. Throws ExecutorUnavailableError when what led there leads elsewhere now, or nowhere. */
export async function executorAt(place: Place, sources: ExecutorSources): Promise<Executor> {
  if (place.target === 'docker') return createDockerExecutor(sources);
  const { kubeconfig, context, namespace } = place;
  const settings = { ...(kubeconfig === undefined ? {} : { kubeconfig }), context, namespace };
  await requireSame(place, settings);
  const { createKubernetesExecutor } = await kubernetes();
  // Nothing is started there.
  return createKubernetesExecutor({ ...settings, findProxy: clusterProxy(sources), startTimeoutMs: 0, graceMs: 0 });
}

/** An empty namespace of another cluster would look as if nothing had been left. */
async function requireSame(
  { server }: ClusterPlace,
  settings: { readonly kubeconfig?: string; readonly context: string; readonly namespace: string },
): Promise<void> {
  const { Cluster } = await kubernetes();
  const now = bare(await new Cluster(settings).server());
  if (now === server) return;
  const { kubeconfig = 'the kubeconfig', context, namespace } = settings;
  throw new ExecutorUnavailableError(
    `Failed to find the cluster for jobs in ${kubeconfig}: its context "${context}" leads to ${now} now, and the run's pods are at ${server}. Look there: kubectl get pods -n ${namespace} -l app.kubernetes.io/managed-by=pulumi-runner-agent.`,
  );
}
