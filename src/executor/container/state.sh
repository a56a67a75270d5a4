state() {
  kills=0 changed=0
  # cgroup v2, then v1.
  for counter in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r "$counter" ] || continue
    while read -r key value; do [ "$key" = oom_kill ] && kills=$value; done <"$counter"
  done
  # Never opened here: it may be a FIFO or a device.
  if [ -f "$1" ]; then [ -s "$1" ] && changed=1; elif [ -e "$1" ]; then changed=1; fi
  state="$kills $changed"
} 2>/dev/null
