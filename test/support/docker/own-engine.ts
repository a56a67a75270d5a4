import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { type EngineService, startEngineService } from './engine-service.ts';

/** Asynchronous, so that the rest of the test goes on meanwhile. */
const run = promisify(execFile);

export type OwnEngine = Awaited<ReturnType<typeof startOwnEngine>>;

/** The name of a network namespace (a new one by default), and flags for dockerd besides those that isolate it. */
interface OwnEngineOptions {
  readonly network?: string;
  readonly flags?: readonly string[];
}

/**
 * Starts the test's own Docker engine beside the machine's, which the test may end in any way. It has its own network
 * namespace, because two daemons in one would remove each other's bridges and rules. Needs root.
 */
export async function startOwnEngine({ network, flags = [] }: OwnEngineOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'own-engine-'));
  const socketPath = join(folder, 'docker.sock');
  const name = folder.slice(-6);
  const [program = '', ...args] = [
    // Not `ip netns exec`, which would hide the control groups.
    ...(network === undefined ? ['unshare', '--net'] : ['nsenter', `--net=/run/netns/${network}`]),
    ...['dockerd', '-H', `unix://${socketPath}`],
    ...['--data-root', `${folder}/data`, '--exec-root', `${folder}/exec`, '--pidfile', `${folder}/pid`],
    ...['--containerd-namespace', name, '--containerd-plugins-namespace', `${name}-plugins`],
    ...['--bridge=none', '--iptables=false', '--ip6tables=false', '--userland-proxy=false'],
    ...flags,
  ];
  let service: EngineService | undefined;
  const close = async () => {
    await service?.stop();
    // Its shims' command lines have the namespace, or the folder of a containerd of its own.
    for (const words of [folder, `\0-namespace\0${name}\0`]) endProcesses(words);
    for (const place of mountsBelow(folder)) await run('umount', ['--lazy', place]);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  const start = async () => {
    // dockerd refuses to start beside the PID file that a crash left.
    await rm(`${folder}/pid`, { force: true });
    service = await startEngineService([program, ...args], socketPath);
  };
  await start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    /** For DOCKER_HOST. */
    url: `unix://${socketPath}`,
    docker: new Docker({ socketPath }),
    /** Starts it again. */
    start,
    /** Ends it as its service manager does; its containers end too. */
    stop: async () => service?.stop(),
    /** Kills it; its containers keep running. */
    crash: async () => service?.stop('SIGKILL'),
    /** Ends everything and removes its data. */
    close,
  };
}

/** Copies an image from the machine's Docker engine to another. */
export async function copyImage(image: string, url: string): Promise<void> {
  await run('sh', ['-c', 'docker save "$1" | docker --host "$2" load', 'sh', image, url]);
}

/** Ends what outlives a crash: the processes with these words in their command line. */
function endProcesses(words: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(words)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** The mount points below a folder, innermost first. */
function mountsBelow(folder: string): string[] {
  const places = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[1] ?? []);
  return places.filter((place) => place.startsWith(`${folder}/`)).toReversed();
}
