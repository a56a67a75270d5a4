import type { Environment } from '../base/environment.ts';
import { isListed } from '../base/network/no-proxy.ts';
import { messageOf } from '../base/outcome.ts';
import type { DockerEngine } from '../executor/docker/engine/engine.ts';
import { canListen } from './agent-health.ts';

/** The network of containers that don't name one. */
const BRIDGE = 'bridge';

/** Stands in for the relay's port, which isn't known yet: no list would name this one. */
const ANY_PORT = 65_535;

/** The address that a relay can listen on, or the reason why there is none. */
export type RelayPlace = { readonly address: string } | { readonly off: string };

interface Forwarding {
  readonly envForwardAllowlist: readonly string[];
}

/**
 * This machine's address for containers, or a clause why there is none. Rejects only with the
 * signal's reason.
 */
export async function relayPlace(
  forwarding: Forwarding,
  engine: DockerEngine,
  environment: Environment,
  signal: AbortSignal,
): Promise<RelayPlace> {
  if (process.platform !== 'linux') return { off: 'jobs run in a virtual machine of this computer' };

  try {
    const { endpoint } = engine;
    if (endpoint.socketPath === undefined)
      return { off: `the Docker engine is reached over the network (${endpoint.name})` };

    const { isPodman } = await engine.version(signal);
    if (isPodman) return { off: 'jobs run in Podman, whose network has another address on this machine' };

    const info = await engine.call((docker) => docker.info() as Promise<Info>, { signal });
    if (/docker desktop/i.test(info.OperatingSystem ?? ''))
      return { off: 'jobs run in the virtual machine of Docker Desktop' };
    if (info.SecurityOptions?.some((option) => /rootless/.test(option)))
      return { off: 'the Docker engine is rootless' };

    const network = await engine.call((docker) => docker.getNetwork(BRIDGE).inspect(), { signal });
    const address = network.IPAM?.Config?.map(gatewayOf).find((gateway) => gateway !== undefined);
    if (address === undefined || !(await canListen({ host: address, port: 0 })))
      return { off: "the address of the Docker engine's bridge is not this machine's" };

    return { address, ...forwardedProxy(forwarding, environment, address) };
  } catch (error) {
    signal.throwIfAborted();
    return { off: `the Docker engine could not be asked (${messageOf(error)})` };
  }
}

interface Info {
  readonly OperatingSystem?: string;
  readonly SecurityOptions?: readonly string[];
}

interface Subnet {
  readonly Subnet?: string | undefined;
  readonly Gateway?: string | undefined;
}

/**
 * The first IPv4 address, if no gateway is named: until its second start, an engine has that one
 * and doesn't say so.
 */
function gatewayOf({ Gateway: gateway, Subnet: subnet = '' }: Subnet): string | undefined {
  const [, network, last] = /^(\d+\.\d+\.\d+\.)(\d+)\//.exec(subnet) ?? [];
  return gateway || (network && `${network}${Number(last) + 1}`);
}

/** A job that sends plain HTTP through a proxy would look for the relay there. */
function forwardedProxy(
  { envForwardAllowlist }: Forwarding,
  environment: Environment,
  hostname: string,
): { readonly off?: string } {
  const forwarded = (name: string) =>
    envForwardAllowlist.includes(name) ? environment[name]?.trim() : undefined;
  const proxy = ['HTTP_PROXY', 'http_proxy'].find((name) => forwarded(name));
  if (proxy === undefined) return {};
  const exempt = forwarded('NO_PROXY') || forwarded('no_proxy') || '';
  if (isListed(exempt, hostname, ANY_PORT)) return {};
  return { off: `${proxy} is forwarded to jobs, whose NO_PROXY does not name ${hostname}` };
}
