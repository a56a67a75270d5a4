import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { BUSYBOX_IMAGE } from '../../support/docker/images.ts';

/** Jobs of the test's process go on meanwhile. */
const run = promisify(execFile);

/** A Docker Engine of a test's own, which may be ended in any way; it has the image of busybox. */
export interface SecondEngine {
  /** For DOCKER_HOST. */
  readonly url: string;
  /** Ends it as its service manager does; it ends its containers. */
  stop(): Promise<void>;
  /** Kills it; its containers go on. */
  crash(): Promise<void>;
  /** Starts it again. */
  start(): Promise<void>;
  /** Ends everything and removes its data. */
  close(): Promise<void>;
}

/**
 * Starts dockerd with folders of its own and in a network namespace of its own: beside another one in the same, each would
 * take the other's network away. Takes root.
 */
export async function startSecondEngine(): Promise<SecondEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-'));
  const url = `unix://${folder}/sock`;
  const log = openSync(join(folder, 'log'), 'a');
  let daemon: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    if (daemon === undefined || daemon.exitCode !== null || daemon.signalCode !== null) return;
    const exited = once(daemon, 'exit');
    daemon.kill(signal);
    await exited;
  };
  const start = async () => {
    const names = ['--containerd-namespace', 'second', '--containerd-plugins-namespace', 'second-plugins'];
    const places = ['--data-root', `${folder}/data`, '--exec-root', `${folder}/exec`, '--pidfile', `${folder}/pid`];
    // What a crash left would be refused beside.
    await rm(`${folder}/pid`, { force: true });
    daemon = spawn('unshare', ['--net', 'dockerd', ...places, ...names, '--host', url], {
      stdio: ['ignore', log, log],
    });
    for (const deadline = performance.now() + 30_000; !(await answers(url)); await delay(50)) {
      if (performance.now() > deadline || daemon.exitCode !== null)
        throw new Error(`the second engine did not start: ${readFileSync(join(folder, 'log'), 'utf8').slice(-2_000)}`);
    }
  };
  const close = async () => {
    await end('SIGTERM');
    endProcesses(folder);
    for (const place of mountsBelow(folder)) await run('umount', ['--lazy', place]);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  try {
    await start();
    await run('sh', ['-c', 'docker save "$1" | docker --host "$2" load', 'sh', BUSYBOX_IMAGE, url]);
  } catch (error) {
    await close();
    throw error;
  }
  return { url, start, close, stop: () => end('SIGTERM'), crash: () => end('SIGKILL') };
}

async function answers(url: string): Promise<boolean> {
  try {
    await run('docker', ['--host', url, 'version'], { timeout: 5_000 });
    return true;
  } catch {
    return false;
  }
}

/** After a crash, the daemon's own containerd and the containers' shims, which name its folder, go on without it. */
function endProcesses(folder: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** The innermost first. */
function mountsBelow(folder: string): string[] {
  const places = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[1] ?? []);
  return places.filter((place) => place.startsWith(`${folder}/`)).toReversed();
}
