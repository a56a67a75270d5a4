import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { startEngineService } from '../../support/docker/engine-service.ts';
import { openPrivateNetwork } from '../network/namespace.ts';

const SCRIPT = join(import.meta.dirname, '../../../scripts/podman');

/** A Podman of the test's own, as its Docker API. */
export interface Podman {
  readonly url: string;
  readonly docker: Docker;
  close(): Promise<void>;
}

/** Starts it in a network namespace of its own, so that its bridges and rules don't meet the Docker Engine's. Needs root. */
export async function startPodman(): Promise<Podman> {
  const network = openPrivateNetwork();
  const folder = await mkdtemp(join(tmpdir(), 'podman-'));
  const { url, docker, stop } = await startEngineService(
    ['nsenter', `--net=/run/netns/${network.name}`, SCRIPT, 'serve', folder],
    join(folder, 'podman.sock'),
  );
  const close = async () => {
    // Not its conmon processes: they end with their containers.
    for (const { Id } of await docker.listContainers({ all: true }))
      await docker.getContainer(Id).remove({ force: true });
    await stop();
    network.close();
    // Its store may be a mount of its own, which it leaves behind.
    await promisify(execFile)('umount', [join(folder, 'graph', 'overlay')]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  };
  return { url, docker, close };
}
