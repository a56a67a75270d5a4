import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const MB = 1024 ** 2;

/** The resident memory of a process in MB: VmRSS of proc(5), pages that it shares with others included. Linux alone has it. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / MB;
}

/**
 * The same with every shared page divided by those who share it: Pss of proc(5)'s smaps_rollup. The kernel walks through all
 * pages for it, which takes milliseconds: it is read beside the event loop.
 */
export async function proportionalMb(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return (Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]) * 1024) / MB;
}

/**
 * Milliseconds of CPU time that the threads of a process have had, in nanosecond steps (the kernel's sched-stats.txt). The
 * ticks of /proc/<pid>/stat are 10 ms long, which is more than half a minute of an idle agent. Linux alone has it.
 */
export function cpuMs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const [ran] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return sum + Number(ran) / 1e6;
  }, 0);
}

/** CPU time in milliseconds from /proc/<pid>/stat, one small file for a process of many threads, in steps of 10 ms (USER_HZ is 100). */
export function tickedCpuMs(pid: number): number {
  // The command name may hold spaces and parentheses: fields are counted from behind the last one.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
