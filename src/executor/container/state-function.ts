/** How a container stands. */
export interface ContainerState {
  /** Processes that the kernel's out-of-memory killer has ended. */
  readonly oomKills: number;
  /** There is something to read at the environment file's path. */
  readonly environmentChanged: boolean;
}

/** A POSIX shell function: `state <environment file>` sets $state to what `readState` reads. Builtins alone. */
export const STATE_FUNCTION = `state() {
  kills=0 changed=0
  # cgroup v2, then v1.
  for counter in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r "$counter" ] || continue
    while read -r key value; do [ "$key" = oom_kill ] && kills=$value; done <"$counter"
  done
  # Never opened here: it may be a FIFO or a device.
  if [ -f "$1" ]; then [ -s "$1" ] && changed=1; elif [ -e "$1" ]; then changed=1; fi
  state="$kills $changed"
} 2>/dev/null`;

/** Reads what the shell function wrote; nothing is known for anything else. */
export function readState(text: string): ContainerState | undefined {
  const [, kills, changed] = /^(\d{1,9}) ([01])$/.exec(text) ?? [];
  return kills === undefined ? undefined : { oomKills: Number(kills), environmentChanged: changed === '1' };
}
