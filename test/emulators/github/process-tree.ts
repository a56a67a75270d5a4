import { readlinkSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';

/** A process as /proc shows it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly zombie: boolean;
}

/** A process that outlived its job. */
export interface OrphanProcess {
  readonly pid: number;
  readonly command: readonly string[];
}

/** All processes that this one can see, except those that end meanwhile. */
export async function listProcesses(): Promise<ProcessEntry[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name)).map(Number);
  const entries = await Promise.all(pids.map(readProcess));
  return entries.filter((entry) => entry !== undefined);
}

async function readProcess(pid: number): Promise<ProcessEntry | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in parentheses, which may itself hold parentheses and blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === undefined || fields[1] === undefined) return undefined;
  return { pid, parent: Number(fields[1]), zombie: fields[0] === 'Z' || fields[0] === 'X' };
}

/** Kills a process and its descendants by parent ID, leaves first; misses re-parented processes. */
export async function killTree(root: number): Promise<void> {
  const children = new Map<number, number[]>();
  for (const { pid, parent } of await listProcesses())
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  const order: number[] = [];
  for (const queue = [root]; queue.length > 0; ) {
    const pid = queue.shift() as number;
    order.unshift(pid);
    queue.push(...(children.get(pid) ?? []));
  }
  for (const pid of order) killQuietly(pid);
}

/** Sends SIGKILL; ignores a process that is already gone. */
export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** The live processes that were started with `name=value` in their environment. */
export async function findByEnvironment(name: string, value: string): Promise<OrphanProcess[]> {
  const wanted = `${name}=${value}`;
  const found: OrphanProcess[] = [];
  for (const { pid, zombie } of await listProcesses()) {
    if (zombie || pid === process.pid) continue;
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (environment.split('\0').includes(wanted)) found.push({ pid, command: await commandOf(pid) });
  }
  return found;
}

async function commandOf(pid: number): Promise<string[]> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').slice(0, -1);
}

/** A process's stdout and stderr as the kernel names them (`socket:[123]`); empty if the process is gone. */
export function pipeLinks(pid: number): string[] {
  try {
    return [1, 2].map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  } catch {
    return [];
  }
}

/** The live processes that have one of these {@link pipeLinks} open. */
export async function findPipeHolders(links: readonly string[]): Promise<OrphanProcess[]> {
  const holders: OrphanProcess[] = [];
  if (links.length === 0) return holders;
  for (const { pid } of await listProcesses()) {
    const directory = `/proc/${pid}/fd`;
    const open = await Promise.all(
      (await readdir(directory).catch(() => [])).map((fd) => readlink(`${directory}/${fd}`).catch(() => '')),
    );
    if (open.some((link) => links.includes(link))) holders.push({ pid, command: await commandOf(pid) });
  }
  return holders;
}
