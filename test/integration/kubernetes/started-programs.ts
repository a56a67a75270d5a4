import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { scriptOutput } from '../../support/script.ts';

const ATTACH_MS = 30_000;

/**
 * Has each program noted that the container runtime starts from now on in a container, and all that those start, with its whole command
 * line, however short it lives. Ends with what was noted.
 */
export async function watchStarts(containerId: string): Promise<() => Promise<string>> {
  const program = (await scriptOutput('strace', [])).trim();
  const folder = await mkdtemp(join(tmpdir(), 'starts-'));
  const file = join(folder, 'programs');
  const pid = await shimOf(containerId);
  const words = ['-f', '-s', '1000000', '-e', 'trace=execve', '-o', file, '-p', pid];
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
  while (!said.includes(`Process ${pid} attached`)) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await end();
      throw new Error(`Failed to watch process ${pid}: ${said}`);
    }
    await delay(20);
  }
  return end;
}

/** The process of the container runtime that starts everything in a pod: the parent of the container's first process, which stays. */
async function shimOf(containerId: string): Promise<string> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // Others may end meanwhile.
    const [group, status] = await Promise.all(
      ['cgroup', 'status'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
    );
    const parent = /^PPid:\s+(\d+)$/m.exec(status ?? '')?.[1];
    if (group?.includes(containerId) && /^NSpid:.*\s1$/m.test(status ?? '') && parent !== undefined) return parent;
  }
  throw new Error(`container ${containerId} is not on this machine`);
}
