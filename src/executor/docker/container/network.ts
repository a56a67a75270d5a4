import { readFile } from 'node:fs/promises';
import { NEVER } from '../../../clock.ts';
import { defined } from '../../../defined.ts';
import { hostAdvice } from '../../causes.ts';
import { ContainerError } from '../../executor.ts';
import type { Endpoint } from '../engine/endpoint.ts';
import type { DockerEngine } from '../engine/engine.ts';
import { EngineRefusedError } from '../engine/errors.ts';
import type { Containment } from './host-config.ts';

/** The way in which the metadata services are blocked for a job. */
interface MetadataBlock {
  /**
   * Their addresses, which the container gets itself so that it can't reach anything else there.
   */
  readonly blocked: readonly string[];
  /** The reasons why a service that should be blocked isn't, as sentences for the job's log. */
  readonly warning?: string;
}

/**
 * The link-local metadata services whose addresses a container can take over; the second is ECS's,
 * the third EKS's.
 */
export const METADATA_ADDRESSES: readonly string[] = ['169.254.169.254', '169.254.170.2', '169.254.170.23'];

/** Milliseconds; the engine runs a dozen iptables commands per network, one network at a time. */
const CREATE_MS = 120_000;

/** How often to look for an unused part of SPARE_RANGE. */
const SPARE_TRIES = 20;

/**
 * 198.19.0.0/17 in 2,048 parts of 16 addresses: a quarter of RFC 2544's benchmark range, unrouted
 * on the Internet.
 */
const SPARE_RANGE = { first: '198.19', parts: 2_048 } as const;

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
  { containerNetwork: given, allowMetadata = false, dnsServers = [] }: Containment,
  signal: AbortSignal,
): Promise<MetadataBlock> {
  if (allowMetadata || given === 'none') return { blocked: [] };

  if (given !== undefined) {
    const warning = openAt(`the container is on network ${given}, which is not the job's own`);
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

  return { blocked: METADATA_ADDRESSES, ...defined({ warning }) };
}

/** A sentence on why the metadata address stays reachable. */
function openAt(reason: string): string {
  return `The cloud's metadata address ${METADATA_ADDRESSES[0]} is not blocked: ${reason}. Block it on the host if jobs must not have the machine's credentials; see docs/security.md.`;
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

  const own = await serversOf(RESOLV_CONF[0]);
  const asked = own.length === 1 && own[0] === STUB ? await serversOf(RESOLV_CONF[1]) : own;

  return asked.find((address) => address.startsWith('169.254.'));
}

/**
 * Creates a bridge network for one container. Once the engine's own pools are exhausted (about 30
 * networks), its subnet comes from SPARE_RANGE, where no engine checks the host's routes. Throws
 * ContainerError; the network may exist all the same.
 */
export async function makeNetwork(
  engine: DockerEngine,
  name: string,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  // An engine's default may differ, and the metadata service has an IPv6 address too.
  const options = { Name: name, Driver: 'bridge', EnableIPv6: false, Labels: { ...labels } };

  // Never aborted halfway: only an answer says what there is to remove.
  const call = { signal: NEVER, ms: CREATE_MS };
  let refused: EngineRefusedError | undefined;

  for (let tries = 0; tries <= SPARE_TRIES; tries += 1) {
    const spare = refused && { IPAM: { Driver: 'default', Config: [{ Subnet: spareSubnet() }] } };
    try {
      await engine.call(
        (docker, abortSignal) => docker.createNetwork({ ...options, ...spare, abortSignal }),
        call,
      );
      return;
    } catch (error) {
      if (!(error instanceof EngineRefusedError)) throw error;
      refused ??= error;
      if (!NO_ROOM.test(error.message)) break;
    }
  }

  const message = `Failed to make a network for the job: ${refused?.message}. ${networkAdvice(refused?.message)}`;
  throw new ContainerError(message, { code: 'PRA-CONTAINER-02', cause: refused });
}

/** The remedy for a network that could not be made, by the engine's words. */
export function networkAdvice(words = ''): string {
  if (NO_ROOM.test(words)) return 'Remove unused networks, or set container_network to an existing one.';
  return (
    hostAdvice(words, 'networks') ?? "See the engine's log, or set container_network to an existing network."
  );
}

function spareSubnet(): string {
  const part = Math.floor(Math.random() * SPARE_RANGE.parts);
  return `${SPARE_RANGE.first}.${part >> 4}.${(part & 15) << 4}/28`;
}
