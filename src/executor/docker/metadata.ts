import { readFile } from 'node:fs/promises';
import type { Endpoint } from './endpoint.ts';

/**
 * Where virtual machines and containers of clouds ask for credentials, as far as an engine lets a container take the address over: it
 * must be link-local. The first is that of AWS, Azure, Google Cloud, Oracle, OpenStack and others, the second that of ECS tasks, the
 * third that of EKS Pod Identity.
 */
export const METADATA_ADDRESSES: readonly string[] = ['169.254.169.254', '169.254.170.2', '169.254.170.23'];

/** systemd-resolved's own address; the engine then reads the second file instead (moby, libnetwork/resolvconf). */
const STUB = '127.0.0.53';
const RESOLV_CONF = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'] as const;

/**
 * The host's name server that a container couldn't ask any more if it owned METADATA_ADDRESSES: an engine forwards questions from
 * within the container's network, where all of 169.254.0.0/16 is then next door. Undefined when there is none, and when the
 * engine's host isn't this one. Such name servers are Google Cloud's (the metadata address itself) and one of AWS's.
 */
export async function nameServerNextDoor(
  { socketPath }: Endpoint,
  read: (path: string) => Promise<string> = (path) => readFile(path, 'utf8'),
): Promise<string | undefined> {
  if (socketPath === undefined) return undefined;
  const [own, resolved] = RESOLV_CONF;
  const servers = nameServers(await read(own).catch(() => ''));
  const asked =
    servers.length === 1 && servers[0] === STUB ? nameServers(await read(resolved).catch(() => '')) : servers;
  return asked.find((address) => address.startsWith('169.254.'));
}

function nameServers(text: string): string[] {
  return [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address = '']) => address);
}
