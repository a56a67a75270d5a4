import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { scriptOutput } from '../../images/script.ts';

const ATTACH_MS = 30_000;

/**
 * Has each program noted that is started from now on in a container, or in it from outside, with its whole command line, however short
 * it lives. Ends with what was noted.
 */
export async function watchStarts(containerId: string): Promise<() => Promise<string>> {
  const program = (await scriptOutput('strace', [])).trim();
  const folder = await mkdtemp(join(tmpdir(), 'starts-'));
  const file = join(folder, 'programs');
  const inside = await processesOf(containerId);
  const pids = [...inside, await shimAbove(inside[0] ?? '')];
  const words = ['-f', '-s', '1000000', '-e', 'trace=execve', '-o', file, ...pids.flatMap((pid) => ['-p', pid])];
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'close');
  let said = '';
  child.stderr.on('data', (piece: Buffer) => (said += String(piece)));
  const end = async () => {
    // It lets them go; when it is killed the kernel does.
    child.kill('SIGINT');
    const timer = setTimeout(() => child.kill('SIGKILL'), ATTACH_MS);
    await ended;
    clearTimeout(timer);
    const text = await readFile(file, 'utf8').catch(() => '');
    await rm(folder, { recursive: true, force: true });
    return text;
  };
  const deadline = performance.now() + ATTACH_MS;
  // One may have ended meanwhile, as a pause of the pod's own scripts does.
  while (!pids.every((pid) => said.includes(`Process ${pid} attached`) || !existsSync(`/proc/${pid}`))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await end();
      throw new Error(`Failed to watch the processes ${pids.join(', ')}: ${said}`);
    }
    await delay(20);
  }
  return end;
}

/** IDs of a container's processes, as this machine has them. */
async function processesOf(containerId: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  // A process may end meanwhile.
  const groups = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')));
  const own = pids.filter((_, index) => groups[index]?.includes(containerId));
  if (own.length === 0) throw new Error(`no process of container ${containerId} is on this machine`);
  return own;
}

/** The process of the container runtime that starts everything in a pod. */
async function shimAbove(pid: string): Promise<string> {
  for (let at = pid; at !== '0' && at !== ''; ) {
    if ((await readFile(`/proc/${at}/cmdline`, 'utf8')).includes('containerd-shim')) return at;
    at = /^PPid:\s+(\d+)$/m.exec(await readFile(`/proc/${at}/status`, 'utf8'))?.[1] ?? '';
  }
  throw new Error(`nothing of the container runtime stands above process ${pid}`);
}
