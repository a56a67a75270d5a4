import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const DOCKER_DEADLINE_MS = 60_000;

const networks = z.tuple([
  z.object({
    IPAM: z.object({ Config: z.array(z.object({ Subnet: z.string(), Gateway: z.string().optional() })) }),
  }),
]);

/** The address to listen on for containers, and the host name that they use for it. */
export interface ContainerAddress {
  readonly bindAddress: string;
  readonly publicHost: string;
}

/**
 * Where containers on Docker's default network reach this machine: at the bridge's gateway if this machine has that
 * address, else at Docker Desktop's name for the host, whose containers, in a virtual machine, reach even its loopback.
 * @throws Error if Docker does not answer
 */
export async function containerAddress(): Promise<ContainerAddress> {
  const { stdout } = await run('docker', ['network', 'inspect', 'bridge'], { timeout: DOCKER_DEADLINE_MS });
  const [bridge] = networks.parse(JSON.parse(stdout));
  const gateway = gatewayOf(bridge.IPAM.Config);
  return gateway !== undefined && (await isLocal(gateway))
    ? { bindAddress: gateway, publicHost: gateway }
    : { bindAddress: '127.0.0.1', publicHost: 'host.docker.internal' };
}

/**
 * The IPv4 gateway of a Docker network. An engine that has created the bridge omits an unconfigured gateway until its
 * next start; it is then the subnet's first address (seen with Docker Engine 20.10).
 */
export function gatewayOf(
  configuration: readonly { readonly Subnet: string; readonly Gateway?: string | undefined }[],
): string | undefined {
  const ipv4 = configuration.find(({ Subnet }) => !Subnet.includes(':'));
  return ipv4?.Gateway ?? ipv4?.Subnet.replace(/\d+\/\d+$/u, '1');
}

/** Whether this machine can listen on the address. The list of addresses omits a bridge without containers. */
async function isLocal(address: string): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen({ host: address, port: 0 }, () => server.close(() => resolve(true)));
  return promise;
}

/**
 * Fetches a URL from inside a container, as the job will.
 * @throws Error with curl's message
 */
export async function assertReachableFromContainers(url: string, image: string): Promise<void> {
  const curl = ['--silent', '--show-error', '--fail', '--max-time', '10', url];
  try {
    await run('docker', ['run', '--rm', '--entrypoint', 'curl', image, ...curl], {
      timeout: DOCKER_DEADLINE_MS,
    });
  } catch (cause) {
    const { stderr = String(cause) } = cause as { stderr?: string };
    throw new Error(
      `Failed to reach ${url} from a container: ${stderr.trim()}. A firewall on this machine may keep Docker's network out.`,
      { cause },
    );
  }
}
