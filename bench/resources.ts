import { readdirSync, readFileSync } from 'node:fs';

const MB = 1024 ** 2;

/** The resident memory of a process in MB: VmRSS of proc(5), pages that it shares with others included. Linux alone has it. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / MB;
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
