import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { openPrivateNetwork } from '../network/namespace.ts';

const SCRIPT = join(import.meta.dirname, '../../../scripts/podman');
/** Milliseconds; the first start on a bare machine fetches the packages. */
const START_MS = 110_000;
const STOP_MS = 20_000;

/** A Podman of the test's own, as its Docker API. */
export interface Podman {
  readonly url: string;
  readonly docker: Docker;
  /** Host and port of a registry that has no image at all. */
  readonly registry: string;
  close(): Promise<void>;
}

/** Starts it in a network namespace of its own, so that its bridges and rules don't meet the Docker Engine's. Needs root. */
export async function startPodman(): Promise<Podman> {
  const network = openPrivateNetwork();
  const folder = await mkdtemp(join(tmpdir(), 'podman-'));
  const empty = await emptyRegistry(network.gateway);
  const registry = `${network.gateway}:${(empty.address() as AddressInfo).port}`;
  const socketPath = join(folder, 'podman.sock');
  const service = spawn('nsenter', [`--net=/run/netns/${network.name}`, SCRIPT, 'serve', folder], {
    env: { ...process.env, PODMAN_INSECURE_REGISTRY: registry },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  service.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4_000);
  });
  const ended = once(service, 'exit');
  const docker = new Docker({ socketPath });
  const close = async () => {
    // Not its conmon processes: they end with their containers.
    for (const { Id } of await docker.listContainers({ all: true }).catch(() => []))
      await docker.getContainer(Id).remove({ force: true });
    service.kill('SIGTERM');
    const timer = setTimeout(() => service.kill('SIGKILL'), STOP_MS);
    await ended.finally(() => clearTimeout(timer));
    empty.close();
    network.close();
    unmount(join(folder, 'graph', 'overlay'));
    await rm(folder, { recursive: true, force: true });
  };
  const answers = () =>
    docker.ping().then(
      () => true,
      () => false,
    );
  const deadline = performance.now() + START_MS;
  while (!(await answers())) {
    if (service.exitCode !== null || performance.now() > deadline) {
      await close();
      throw new Error(`Podman does not start: ${log}`);
    }
    await sleep(50);
  }
  return { url: `unix://${socketPath}`, docker, registry, close };
}

async function emptyRegistry(host: string): Promise<Server> {
  const server = createServer((request, response) => {
    const there = request.url === '/v2/';
    response.writeHead(there ? 200 : 404, { 'content-type': 'application/json' });
    response.end(there ? '{}' : '{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return server;
}

/** Its store is a mount of its own, which it leaves behind. */
function unmount(path: string): void {
  try {
    execFileSync('umount', [path], { stdio: 'ignore' });
  } catch {
    // It was none.
  }
}
