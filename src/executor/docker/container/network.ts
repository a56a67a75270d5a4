import { readFile } from 'node:fs/promises';
import { NEVER } from '../../../base/clock.ts';
import { addressNumber } from '../../../base/config/kinds.ts';
import { ContainerError } from '../../executor.ts';
import { hostAdvice } from '../../foreign-text.ts';
import type { Endpoint } from '../engine/endpoint.ts';
import type { DockerEngine } from '../engine/engine.ts';
import { EngineRefusedError } from '../engine/errors.ts';

/** The settings for the network of a job's container. */
export interface NetworkSettings {
  /** Undefined blocks the metadata services as false does, but a block that fails is no warning then. */
  readonly allowMetadata?: boolean | undefined;
  /** An existing network, in place of one for each job. */
  readonly containerNetwork?: string | undefined;
  readonly containerMtu?: number | undefined;
  readonly containerSubnet?: string | undefined;
  readonly dnsServers?: readonly string[] | undefined;
}

/** The way in which the metadata services are blocked for a job. */
interface MetadataBlock {
  /**
   * Their addresses, which the container gets itself so that it can't reach anything else there.
   */
  readonly blocked: readonly string[];
  /** The reasons why a service that should be blocked isn't, as sentences for the job's log. */
  readonly warning: string | undefined;
}

/**
 * The link-local metadata services whose addresses a container can take over; the second is ECS's,
 * the third EKS's.
 */
export const METADATA_ADDRESSES: readonly string[] = ['169.254.169.254', '169.254.170.2', '169.254.170.23'];

/** Enough for the engine, which runs a dozen iptables commands per network, one network at a time. */
const CREATE_MS = 120_000;

/** How many parts of a block of addresses to try. */
const TRIES = 64;

/** A quarter of RFC 2544's benchmark range, unrouted on the Internet: 2,048 networks. */
const SPARE_BLOCK = '198.19.0.0/17';

/** The bridge driver's option, and its value where nothing sets it. */
const MTU = 'com.docker.network.driver.mtu';
const USUAL_MTU = 1_500;

/**
 * Docker's messages for exhausted pools since 1.10 (libnetwork/ipamutils) and as of 28, and for a
 * subnet in use; then Podman's.
 */
const NO_ROOM =
  /available, non-overlapping|fully subnetted|overlap|could not find free subnet|is already used on the host/i;

/**
 * systemd-resolved's own address; the engine then reads the second file (moby,
 * libnetwork/resolvconf).
 */
const STUB = '127.0.0.53';
const RESOLV_CONF = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'] as const;

/**
 * Finds out whether a job's container can have the metadata services' addresses. Throws as
 * `Engine.call` does.
 */
export async function metadataBlock(
  engine: DockerEngine,
  { containerNetwork, allowMetadata = false, dnsServers = [] }: NetworkSettings,
  signal: AbortSignal,
): Promise<MetadataBlock> {
  if (allowMetadata || containerNetwork === 'none') return { blocked: [], warning: undefined };

  if (containerNetwork !== undefined) {
    const warning = openAt(`the container is on network ${containerNetwork}, which is not the job's own`);
    return { blocked: [], warning: `${warning} Or leave container_network out.` };
  }

  const server = dnsServers.length > 0 ? undefined : await linkLocalNameServer(engine.endpoint);
  if (server !== undefined) {
    const warning = openAt(`the host's name server ${server} would become unreachable`);
    return { blocked: [], warning: `${warning} Or set dns_servers to others.` };
  }

  // Podman's Docker API accepts link-local addresses for a container and ignores them (seen with
  // 4.3).
  const { isPodman } = await engine.version(signal);
  const warning = isPodman ? openAt("Podman doesn't assign that address to the container") : undefined;

  return { blocked: METADATA_ADDRESSES, warning };
}

/** A sentence on why the metadata address stays reachable. */
function openAt(reason: string): string {
  return `The cloud's metadata address ${METADATA_ADDRESSES[0]} is not blocked: ${reason}. Block it on the host if jobs must not have the machine's credentials; see docs/isolation.md.`;
}

/**
 * The host's name server that a container couldn't reach if it had METADATA_ADDRESSES itself
 * (Google Cloud's, one of AWS's). Undefined for another host's engine.
 */
export async function linkLocalNameServer(
  { socketPath }: Endpoint,
  read: (path: string) => Promise<string> = (path) => readFile(path, 'utf8'),
): Promise<string | undefined> {
  if (socketPath === undefined) return undefined;

  const serversOf = async (path: string) => {
    const text = await read(path).catch(() => '');
    return [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address = '']) => address);
  };

  const usual = await serversOf(RESOLV_CONF[0]);
  const servers = usual.length === 1 && usual[0] === STUB ? await serversOf(RESOLV_CONF[1]) : usual;

  return servers.find((address) => address.startsWith('169.254.'));
}

/**
 * Creates a bridge network for one container, with the MTU of the engine's default bridge unless one
 * is set. Its subnet comes from `containerSubnet` if that is set, else from the engine's own pools
 * and, once those are exhausted (about 30 networks), from SPARE_BLOCK. No engine compares a subnet
 * that it is given with the host's routes. Throws ContainerError, as the network can exist all the same, and the signal's
 * reason before anything is created.
 */
export async function makeNetwork(
  engine: DockerEngine,
  name: string,
  labels: Readonly<Record<string, string>>,
  { containerMtu, containerSubnet }: NetworkSettings,
  signal: AbortSignal,
): Promise<void> {
  const mtu = containerMtu ?? (await bridgeMtu(engine, signal));
  signal.throwIfAborted();
  // An engine's default can differ, and the metadata service has an IPv6 address too.
  const options = {
    ...{ Name: name, Driver: 'bridge', EnableIPv6: false, Labels: { ...labels } },
    ...(mtu !== undefined && { Options: { [MTU]: String(mtu) } }),
  };

  // Never aborted halfway: only an answer says whether there is something to remove.
  const call = { signal: NEVER, ms: CREATE_MS };
  const create = async (subnet?: string): Promise<EngineRefusedError | undefined> => {
    const addresses = subnet !== undefined && { IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] } };
    try {
      await engine.call(
        (docker, abortSignal) => docker.createNetwork({ ...options, ...addresses, abortSignal }),
        call,
      );
      return undefined;
    } catch (error) {
      if (error instanceof EngineRefusedError) return error;
      throw error;
    }
  };

  const subnets =
    containerSubnet === undefined ? [undefined, ...partsOf(SPARE_BLOCK)] : partsOf(containerSubnet);
  let refused: EngineRefusedError | undefined;

  for (const subnet of subnets) {
    const error = await create(subnet);
    if (error === undefined) return;
    refused ??= error;
    if (!NO_ROOM.test(error.message)) break;
  }

  const advice = networkAdvice(refused?.message, containerSubnet);
  const message = `Failed to make a network for the job: ${refused?.message}. ${advice}`;
  throw new ContainerError(message, { code: 'PRA-CONTAINER-02', cause: refused });
}

/** The remedy for a network that could not be made, by the engine's words. */
export function networkAdvice(words = '', containerSubnet?: string): string {
  if (NO_ROOM.test(words))
    return containerSubnet === undefined
      ? 'Remove unused networks, or set container_network to an existing one.'
      : `Remove unused networks, or choose another container_subnet than ${containerSubnet}.`;
  return (
    hostAdvice(words, 'networks') ?? "See the engine's log, or set container_network to an existing network."
  );
}

/**
 * The MTU of the engine's default bridge, which its other networks don't take over; undefined where
 * that is the usual one, so that the engine's `default-network-opts` count, and without that bridge.
 */
async function bridgeMtu(engine: DockerEngine, signal: AbortSignal): Promise<number | undefined> {
  try {
    // The engine answers between two networks that it creates.
    const inspected = engine.call((docker) => docker.getNetwork('bridge').inspect(), {
      signal,
      ms: CREATE_MS,
    });
    const { Options: options } = await inspected;
    const mtu = Number(options?.[MTU] ?? USUAL_MTU);
    return mtu > 0 && mtu !== USUAL_MTU ? mtu : undefined;
  } catch (error) {
    if (error instanceof EngineRefusedError) return undefined;
    throw error;
  }
}

/** Up to TRIES parts of a block of addresses, each of 16, from a random one on. */
function partsOf(block: string): string[] {
  const [base = '', prefix] = block.split('/');
  const parts = 2 ** (28 - Number(prefix));
  const from = Math.floor(Math.random() * parts);

  return Array.from({ length: Math.min(parts, TRIES) }, (_, index) => {
    const first = addressNumber(base) + ((from + index) % parts) * 16;
    return `${[24, 16, 8, 0].map((bits) => (first >>> bits) & 255).join('.')}/28`;
  });
}
