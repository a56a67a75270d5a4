import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const DEADLINE_MS = 30_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** IDs of the containers with the label, running or not. Throws what the Docker CLI reports. */
export function containersWith(label: string): Promise<string[]> {
  return docker('ps', '--all', '--no-trunc', '--quiet', '--filter', `label=${label}`);
}

/** The containers, networks and volumes with the label, a line each. Throws what the Docker CLI reports. */
export async function objectsWith(label: string): Promise<string[]> {
  const filter = ['--quiet', '--filter', `label=${label}`];
  const [containers, networks, volumes] = await Promise.all([
    containersWith(label),
    docker('network', 'ls', ...filter),
    docker('volume', 'ls', ...filter),
  ]);
  return [
    ...containers.map((id) => `container ${id.slice(0, 12)}`),
    ...networks.map((id) => `network ${id}`),
    ...volumes.map((name) => `volume ${name}`),
  ];
}

/** The output of `docker inspect`, which anyone with access to the engine can read. */
export async function inspection(container: string): Promise<string> {
  return (await docker('inspect', container)).join('\n');
}

async function docker(...args: string[]): Promise<string[]> {
  const { stdout } = await run('docker', args, { timeout: DEADLINE_MS, maxBuffer: MAX_BYTES });
  return stdout.split('\n').filter((line) => line !== '');
}
