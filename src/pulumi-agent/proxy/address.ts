import type { Environment } from '../../base/environment.ts';
import { isListed } from '../../base/network/no-proxy.ts';
import { messageOf } from '../../base/outcome.ts';
import type { DockerEngine } from '../../executor/docker/engine/engine.ts';
import { canListen } from '../agent-health.ts';

/** The network of containers that don't name one. */
const BRIDGE = 'bridge';

/** Stands in for the proxy's port, which isn't known yet: no list would name this one. */
const ANY_PORT = 65_535;

/** The address that the proxy can listen on, or the reason why there is none. */
export type ProxyAddress = { readonly address: string } | { readonly obstacle: string };

export interface ProxyAddressOptions {
  readonly engine: DockerEngine;
  readonly environment: Environment;
  /** The names of the variables that jobs get from it. */
  readonly envForwardAllowlist: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * This machine's address for containers, or a clause why there is none. Rejects only with the
 * signal's reason.
 */
export async function proxyAddress(options: ProxyAddressOptions): Promise<ProxyAddress> {
  const { engine, signal } = options;
  if (process.platform !== 'linux') return { obstacle: 'jobs run in a virtual machine of this computer' };

  try {
    const { endpoint } = engine;
    if (endpoint.socketPath === undefined)
      return { obstacle: `the Docker engine is reached over the network (${endpoint.name})` };

    const { isPodman } = await engine.version(signal);
    if (isPodman)
      return { obstacle: 'jobs run in Podman, whose network has another address on this machine' };

    const info = await engine.call((docker) => docker.info() as Promise<EngineInfo>, { signal });
    if (/docker desktop/i.test(info.OperatingSystem ?? ''))
      return { obstacle: 'jobs run in the virtual machine of Docker Desktop' };
    if (info.SecurityOptions?.some((option) => /rootless/.test(option)))
      return { obstacle: 'the Docker engine is rootless' };

    const network = await engine.call((docker) => docker.getNetwork(BRIDGE).inspect(), { signal });
    const address = network.IPAM?.Config?.map(gatewayOf).find((gateway) => gateway !== undefined);
    if (address === undefined || !(await canListen({ host: address, port: 0 })))
      return { obstacle: "the address of the Docker engine's bridge is not this machine's" };

    const obstacle = forwardedProxy(address, options);
    return obstacle === undefined ? { address } : { obstacle };
  } catch (error) {
    signal.throwIfAborted();
    return { obstacle: `the Docker engine could not be asked (${messageOf(error)})` };
  }
}

interface EngineInfo {
  readonly OperatingSystem?: string;
  readonly SecurityOptions?: readonly string[];
}

/**
 * The first IPv4 address, if no gateway is named: until its second start, an engine has that one
 * and doesn't say so.
 */
function gatewayOf({
  Gateway: gateway,
  Subnet: subnet = '',
}: {
  readonly Gateway?: string | undefined;
  readonly Subnet?: string | undefined;
}): string | undefined {
  const [, network, last] = /^(\d+\.\d+\.\d+\.)(\d+)\//.exec(subnet) ?? [];
  return gateway || (network && `${network}${Number(last) + 1}`);
}

/**
 * A clause about an HTTP proxy that is forwarded to jobs: one that sends plain HTTP through it
 * would look for ours there.
 */
function forwardedProxy(
  address: string,
  { environment, envForwardAllowlist }: ProxyAddressOptions,
): string | undefined {
  const forwarded = (name: string) =>
    envForwardAllowlist.includes(name) ? environment[name]?.trim() : undefined;
  const variable = ['HTTP_PROXY', 'http_proxy'].find((name) => forwarded(name));
  if (variable === undefined) return undefined;
  const exempt = forwarded('NO_PROXY') || forwarded('no_proxy') || '';
  if (isListed(exempt, address, ANY_PORT)) return undefined;
  return `${variable} is forwarded to jobs, whose NO_PROXY does not name ${address}`;
}
