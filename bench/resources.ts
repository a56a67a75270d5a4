import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const MB = 1024 ** 2;

/** The resident memory of a process in MB, shared pages included: VmRSS of proc(5), on Linux only. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / MB;
}

/**
 * The same with each shared page divided by the number of its sharers: Pss of proc(5)'s smaps_rollup. Reads off the
 * event loop, because the kernel walks all pages for it, which takes milliseconds.
 */
export async function proportionalMb(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return (Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]) * 1024) / MB;
}
