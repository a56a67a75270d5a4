import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { defined } from '../../base/defined.ts';
import { type Environment, homeOf } from '../../base/environment.ts';
import { fixedProxy, proxyFor } from '../../base/network/proxy.ts';
import { contextOf, trustedCertificates } from '../../base/network/trust.ts';
import { tunnelAgent } from '../../base/network/tunnel.ts';
import { ExecutorUnavailableError } from '../executor.ts';
import type { ExecutorKind, ExecutorSources } from '../kind.ts';
import { Cluster, type FindProxy } from './cluster.ts';
import { createKubernetesExecutor } from './kubernetes-executor.ts';

export const kubernetesKind: ExecutorKind<'kubernetes'> = {
  create(config, { environment, labels, logger, onSecret }) {
    const findProxy = clusterProxy(environment, onSecret, config.caCertificate);
    return createKubernetesExecutor({ ...config, ...defined({ labels, logger }), findProxy });
  },

  async place({ kubeconfig: named, kubeContext, namespace }, environment) {
    // Throws if the working directory or the home directory is gone.
    const kubeconfig = named ?? kubeconfigOf(environment);
    const cluster = new Cluster(defined({ kubeconfig, kubeContext, namespace }));

    return {
      target: 'kubernetes',
      ...defined({ kubeconfig }),
      context: (await cluster.config()).getCurrentContext(),
      server: bare(await cluster.server()),
      namespace: await cluster.namespace(),
    };
  },

  async at(place, sources) {
    const { kubeconfig, context, namespace } = place;
    const settings = { kubeContext: context, namespace, ...defined({ kubeconfig }) };
    const server = bare(await new Cluster(settings).server());

    // In another cluster, an empty namespace would look as if nothing had been left.
    if (server !== place.server) {
      throw new ExecutorUnavailableError(
        `Failed to find the cluster for jobs in ${kubeconfig ?? 'the kubeconfig'}: its context "${context}" now leads to ${server}, but the run's pods are at ${place.server}. Look there: kubectl get pods -n ${namespace} -l app.kubernetes.io/managed-by=pulumi-runner-agent.`,
        { code: 'PRA-K8S-01' },
      );
    }

    // Used for sweeps only, so nothing is started.
    return createKubernetesExecutor({
      ...settings,
      findProxy: clusterProxy(sources.environment, sources.onSecret),
      podStartTimeoutMs: 0,
      cancelGracePeriodMs: 0,
    });
  },
};

/** The default kubeconfig's path; undefined if there is no file, or several. */
function kubeconfigOf(environment: Environment): string | undefined {
  const [named, ...more] = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (named !== undefined) return more.length > 0 ? undefined : resolve(named);
  const own = join(homeOf(environment), '.kube', 'config');
  return existsSync(own) ? own : undefined;
}

/** An address without its user and password. */
function bare(server: string): string {
  const url = URL.parse(server);
  if (url === null) return '';
  url.username = '';
  url.password = '';
  return url.href;
}

/** Milliseconds for a proxy to connect. */
const CONNECT_MS = 10_000;

/**
 * Finds the proxy as kubectl does: the kubeconfig's, else the environment's by the rules of Go's
 * net/http. SOCKS is left to the Kubernetes client. `caCertificate` is the setting of that name.
 * Throws OutcomeError `config-error`.
 */
export function clusterProxy(
  environment: Environment,
  onSecret?: ExecutorSources['onSecret'],
  caCertificate?: string,
): FindProxy {
  return async (service, named) => {
    if (named !== undefined && /^socks/i.test(named)) return undefined;

    const proxy =
      named === undefined
        ? proxyFor(service, environment).proxy
        : fixedProxy("the kubeconfig's proxy-url", named);

    if (proxy === undefined) return undefined;

    for (const secret of proxy.secrets) onSecret?.(secret);

    const { address, variable } = proxy;

    // An https proxy is trusted by the same rules as one to Pulumi Cloud.
    const trust = address.startsWith('https:') ? contextOf(trustedCertificates(caCertificate)) : undefined;

    return { address, variable, agent: tunnelAgent(proxy, service, CONNECT_MS, trust) };
  };
}
