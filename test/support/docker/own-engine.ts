import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { openPrivateNetwork } from '../../integration/network/namespace.ts';

/** Milliseconds until an engine that is started must answer, and one that is stopped must be gone. */
const START_MS = 60_000;
const STOP_MS = 30_000;

/** What else the test does goes on meanwhile. */
const run = promisify(execFile);

/** A Docker Engine of the test's own beside the machine's. */
export interface OwnEngine {
  /** Its unencrypted socket, as a path and for DOCKER_HOST. */
  readonly socketPath: string;
  readonly url: string;
  /** Where it listens for TLS, if its flags say how. */
  readonly tlsUrl: string;
  readonly docker: Docker;
  /** Ends everything and removes its data. */
  close(): Promise<void>;
}

/**
 * Starts one with the flags wanted beside what keeps it apart from the machine's. It has a network namespace of its own: two daemons
 * in one would take each other's bridges and rules away. Needs root.
 */
export async function startOwnEngine(
  flagsFor: (place: { host: string }) => readonly string[] = () => [],
): Promise<OwnEngine> {
  const network = openPrivateNetwork();
  const folder = await mkdtemp(join(tmpdir(), 'own-engine-'));
  const log = join(folder, 'log');
  const socketPath = join(folder, 'docker.sock');
  const docker = new Docker({ socketPath });
  // The address behind the gateway's.
  const host = network.gateway.replace(/\d+$/, (last) => String(Number(last) + 1));
  // Not 2376, which alone would mean TLS.
  const tlsUrl = `tcp://${host}:2377`;
  const flags = flagsFor({ host });
  const name = folder.slice(-6);
  const command = [
    ...[
      `--net=/run/netns/${network.name}`,
      'dockerd',
      '--data-root',
      `${folder}/data`,
      '--exec-root',
      `${folder}/exec`,
    ],
    ...[
      '--pidfile',
      `${folder}/pid`,
      '--containerd-namespace',
      name,
      '--containerd-plugins-namespace',
      `${name}-plugins`,
    ],
    ...[
      '--bridge=none',
      '--iptables=false',
      '--ip6tables=false',
      '--userland-proxy=false',
      '-H',
      `unix://${socketPath}`,
    ],
    // Without TLS an engine waits 15 s before it listens there, as a punishment.
    ...(flags.some((flag) => flag.startsWith('--tls')) ? ['-H', tlsUrl] : []),
    ...flags,
  ];
  const output = openSync(log, 'a');
  // Not by ip netns exec, which would hide the control groups.
  const daemon = spawn('nsenter', command, { cwd: folder, stdio: ['ignore', output, output] });
  const ended = once(daemon, 'exit');
  const close = async () => {
    daemon.kill('SIGTERM');
    const timer = setTimeout(() => daemon.kill('SIGKILL'), STOP_MS);
    await ended.finally(() => clearTimeout(timer));
    network.close();
    await rm(folder, { recursive: true, force: true });
  };
  const answers = () =>
    docker.ping().then(
      () => true,
      () => false,
    );
  for (const deadline = performance.now() + START_MS; !(await answers()); await sleep(50)) {
    if (daemon.exitCode === null && performance.now() < deadline) continue;
    const text = readFileSync(log, 'utf8').slice(-2_000);
    await close();
    throw new Error(`the engine does not start: ${text}`);
  }
  return { socketPath, url: `unix://${socketPath}`, tlsUrl, docker, close };
}

/** Gives an engine an image of the machine's own. */
export async function copyImage(image: string, url: string): Promise<void> {
  await run('sh', ['-c', 'docker save "$1" | docker --host "$2" load', 'sh', image, url]);
}
