import { shellText } from '../../base/shell-text.ts';
/**
 * A POSIX shell function: `memory` sets $answer to the container's memory and the inactive file
 * pages in it, in bytes, from its own cgroup, v2 or v1; without either, it leaves $answer
 * unchanged. Uses only builtins.
 */
export const MEMORY_FUNCTION = shellText('./memory.sh', import.meta.url);

/**
 * Parses the function's answer: bytes of memory without the file pages that the kernel drops first;
 * else undefined.
 */
export function readMemory(text: string): number | undefined {
  const [, usage, inactiveFile] = /^(\d{1,18}) (\d{1,18})$/.exec(text) ?? [];
  return usage === undefined ? undefined : Math.max(0, Number(usage) - Number(inactiveFile));
}
