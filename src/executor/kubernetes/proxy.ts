import { type Environment, fixedProxy, routeTo } from '../../network/proxy.ts';
import { contextOf, trusted } from '../../network/trust.ts';
import { tunnelAgent } from '../../network/tunnel.ts';
import type { FindProxy } from './cluster.ts';

/** Milliseconds until a proxy must have connected us. */
const CONNECT_MS = 10_000;

export interface ClusterProxySources {
  readonly environment: Environment;
  /** The setting `ca_certificate`. */
  readonly caCertificate?: string;
  /** Takes what no log may show. */
  readonly onSecret?: (secret: string) => void;
}

/** Finds the proxy as kubectl does: the kubeconfig's own, else the environment's by the rules of Go's net/http. SOCKS is left to the Kubernetes client. Throws OutcomeError `config-error`. */
export function clusterProxy({ environment, caCertificate, onSecret }: ClusterProxySources): FindProxy {
  return async (service, named) => {
    if (named !== undefined && /^socks/i.test(named)) return undefined;
    const proxy =
      named === undefined ? routeTo(service, environment).proxy : fixedProxy("the kubeconfig's proxy-url", named);
    if (proxy === undefined) return undefined;
    for (const secret of proxy.secrets) onSecret?.(secret);
    const { address, variable } = proxy;
    // Whom to trust as a proxy, as on the way to Pulumi Cloud.
    const trust = address.startsWith('https:') ? contextOf(trusted(caCertificate)) : undefined;
    return { address, variable, agent: () => tunnelAgent({ proxy, service, timeoutMs: CONNECT_MS, trust }) };
  };
}
