/**
 * A POSIX shell function: `memory` sets $answer to the container's memory and the inactive file
 * pages in it, in bytes, from its own cgroup, v2 or v1; without either, it leaves $answer
 * unchanged. Uses only builtins.
 */
export const MEMORY_FUNCTION = `memory() {
  memory_of memory.current memory.stat inactive_file ||
    memory_of memory/memory.usage_in_bytes memory/memory.stat total_inactive_file
}
memory_of() {
  read -r usage <"/sys/fs/cgroup/$1" || return
  # gVisor keeps no statistics.
  answer="$usage 0"
  while read -r key value; do [ "$key" = "$3" ] && answer="$usage $value"; done <"/sys/fs/cgroup/$2"
  return 0
} 2>/dev/null`;

/**
 * Parses the function's answer: bytes of memory without the file pages that the kernel drops first;
 * else undefined.
 */
export function readMemory(text: string): number | undefined {
  const [, usage, inactiveFile] = /^(\d{1,18}) (\d{1,18})$/.exec(text) ?? [];
  return usage === undefined ? undefined : Math.max(0, Number(usage) - Number(inactiveFile));
}
