memory() {
  memory_of memory.current memory.stat inactive_file ||
    memory_of memory/memory.usage_in_bytes memory/memory.stat total_inactive_file
}
memory_of() {
  read -r usage <"/sys/fs/cgroup/$1" || return
  # gVisor keeps no statistics.
  answer="$usage 0"
  while read -r key value; do [ "$key" = "$3" ] && answer="$usage $value"; done <"/sys/fs/cgroup/$2"
  return 0
} 2>/dev/null
