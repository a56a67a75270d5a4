import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { openPrivateNetwork } from '../../integration/network/namespace.ts';

/** Milliseconds until an engine that is started must answer, and one that is stopped must be gone. */
const START_MS = 60_000;
const STOP_MS = 30_000;

/** A Docker Engine of the test's own beside the machine's. */
export interface OwnEngine {
  /** Its unencrypted socket. */
  readonly socketPath: string;
  readonly docker: Docker;
  /** Where it listens for TLS, if its flags say how. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts one with the flags wanted beside what keeps it apart from the machine's. It has a network namespace of its own: two daemons in one would
 * take each other's bridges and rules away. Needs root.
 */
export async function startOwnEngine(flagsFor: (place: { host: string }) => readonly string[]): Promise<OwnEngine> {
  const network = openPrivateNetwork();
  const folder = await mkdtemp(join(tmpdir(), 'own-engine-'));
  const socketPath = join(folder, 'docker.sock');
  // The address behind the gateway's.
  const host = network.gateway.replace(/\d+$/, (last) => String(Number(last) + 1));
  // Not 2376, which alone would mean TLS.
  const url = `tcp://${host}:2377`;
  const roots = ['--data-root', 'data', '--exec-root', 'exec', '--pidfile', 'pid'].map((word) =>
    word.startsWith('--') ? word : join(folder, word),
  );
  const apart = ['--bridge=none', '--iptables=false', '--ip6tables=false', '--userland-proxy=false'];
  const flags = flagsFor({ host });
  // Without TLS an engine waits 15 s before it listens there, as a punishment.
  const listen = ['-H', `unix://${socketPath}`, ...(flags.some((flag) => flag.startsWith('--tls')) ? ['-H', url] : [])];
  // Not by ip netns exec, which would hide the control groups.
  const command = [`--net=/run/netns/${network.name}`, 'dockerd', ...roots, ...apart, ...listen, ...flags];
  const daemon = spawn('nsenter', command, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  daemon.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4_000);
  });
  const ended = once(daemon, 'close');
  const docker = new Docker({ socketPath });
  const close = async () => {
    daemon.kill('SIGTERM');
    const timer = setTimeout(() => daemon.kill('SIGKILL'), STOP_MS);
    await ended.finally(() => clearTimeout(timer));
    network.close();
    await rm(folder, { recursive: true, force: true });
  };
  const deadline = performance.now() + START_MS;
  while (
    !(await docker.ping().then(
      () => true,
      () => false,
    ))
  ) {
    if (daemon.exitCode !== null || performance.now() > deadline) {
      await close();
      throw new Error(`the engine does not start: ${log}`);
    }
    await sleep(50);
  }
  return { socketPath, docker, url, close };
}

/** Gives an engine an image of the machine's own. */
export function copyImage(image: string, url: string): void {
  const archive = execFileSync('docker', ['save', image], { maxBuffer: 2 ** 30 });
  execFileSync('docker', ['-H', url, 'load'], { input: archive, stdio: ['pipe', 'ignore', 'pipe'] });
}
