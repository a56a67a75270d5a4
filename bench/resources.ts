import { readFileSync } from 'node:fs';
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
