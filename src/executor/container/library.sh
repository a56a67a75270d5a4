# The functions of the shells in a job's container: POSIX, for dash, bash and busybox ash. They use only builtins and sleep.
# shell.ts puts them before each program, without the comments.
#
# Who signals whom:
#
#   in Docker: process 1 (main.sh)          in a pod: control.sh, and process 1 (main.sh) when the pod ends
#     |
#     |  signal NAME LEADER, as a terminal would: the step's process group
#     v
#   LEADER, the shell that waits for the step (step.sh): leads a session, and the step's process group
#     |-- the step's shell and what it runs   in the group: signalled
#     |-- a | b, where a handles SIGINT       b, which only reads from a, is spared a SIGINT, so that a can finish its work
#     |-- timeout(1) with its command         in a group of their own: the command is signalled as above, and timeout, which would
#     |                                       send the signal on, ends with it
#     `-- plugins of Pulumi                   in groups of their own just so that they can end their work: only SIGKILL, which
#                                             takes the whole session
#
# The leader outlives the signal. Once the step's own process has ended, it (in a pod a child of it) calls await_finish.
#
#   interrupt LEADER     sends SIGINT to the process group that LEADER leads and to the commands of timeout(1), but spares processes
#                        that only read from a program there that handles it; fails if there is no such group
#   await_finish LEADER  if $stopped is set within a second, waits until the step's programs that now handle SIGINT, and so can be
#                        finishing their work, have ended. A handler that goes away is not enough: Go programs remove theirs before
#                        they end
#   signal NAME LEADER   signals the leader's step; sets answer=yes if it exists
#   state FILE           sets $state to the text that readState parses; FILE is the environment file
#   memory               sets $answer to the container's memory and the inactive file pages in it, in bytes, from its own cgroup, v2
#                        or v1; without either, it leaves $answer unchanged
#
# The reason for sparing is `tofu apply | tee log`: SIGINT kills tee, so the next line that tofu prints kills tofu (SIGPIPE) before it
# has written its state. If spared, tee ends after tofu.
#
# Of a process, only its stat is read, which is one line. bash reads ahead and seeks back to the end of the line: once the process has
# ended that fails, and all that bash reads from then on, from any file, begins with the rest.

# SIGINT is the second bit of $1, the mask of handled signals in the stat (proc(5)).
handles() { [ $((${1:-0} & 2)) != 0 ]; }
# Whether process $1 writes into the pipe that process $2 reads. The pipes of ksh93 are pairs of sockets, whose ends have nothing in
# common to see; a step has no other sockets there.
feeds() {
  [ "/proc/$1/fd/1" -ef "/proc/$2/fd/0" ] || [ "/proc/$1/fd/2" -ef "/proc/$2/fd/0" ] ||
    { [ -S "/proc/$1/fd/1" ] && [ -S "/proc/$2/fd/0" ]; }
}
# A caller with a deadline defines it anew: a job can have so many processes that the search below takes hours.
in_time() { :; }
interrupt() {
  leader=$1 able=' ' others_of_group= timeouts=' ' singly=
  for stat in /proc/[0-9]*/stat; do
    in_time || break
    read -r line <"$stat" || continue
    pid=${line%% *} whole=$line
    set -- ${line##*)}
    [ "$4" = "$leader" ] || continue
    if [ "$3" != "$leader" ]; then
      is_timeout "$3" || continue
      timeouts="$timeouts$3 "
    fi
    if handles "${32}"; then
      able="$able$pid "
      [ "$3" = "$leader" ] && stat_of_timeout "$whole" "$pid" && singly=1
    elif [ -p "/proc/$pid/fd/0" ] || [ -S "/proc/$pid/fd/0" ]; then
      others_of_group="$others_of_group $pid"
    fi
  done
  spared=' ' growing=1
  while [ -n "$growing" ]; do
    growing=
    for reader in $others_of_group; do
      case $spared in *" $reader "*) continue ;; esac
      in_time || break 2
      for writer in $able $spared; do
        if [ "$writer" != "$leader" ] && feeds "$writer" "$reader"; then
          spared="$spared$reader " growing=1 singly=1
          break
        fi
      done
    done
  done
  kill -0 "-$leader"
  found=$?
  # At once where no process of the group is left out: one that begins meanwhile would be missed, and a shell that waits for it goes on.
  [ -n "$singly" ] || kill -INT "-$leader"
  # The shell that waits for the step must know of the interrupt before the step dies of it: it is the leader or a child of that.
  children= rest=
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=${line%% *} whole=$line
    set -- ${line##*)}
    [ "$4" = "$leader" ] && [ "$pid" != "$leader" ] || continue
    case $spared in *" $pid "*) continue ;; esac
    # timeout would send the signal on. With --foreground it is in the group of its command. A timeout that began after the signal is a
    # handler's.
    if [ "$3" != "$leader" ]; then
      case $timeouts in *" $3 "*) [ "$3" != "$pid" ] || continue ;; *) continue ;; esac
    elif [ -z "$singly" ] || { stat_of_timeout "$whole" "$pid" && handles "${32}"; }; then
      continue
    fi
    if [ "$2" = "$leader" ]; then children="$children $pid"; else rest="$rest $pid"; fi
  done
  for pid in ${singly:+"$leader"} $children $rest; do kill -INT "$pid"; done
  return "$found"
} 2>/dev/null
# Whether $1 is the stat of process $2 and that is timeout(1).
stat_of_timeout() { case $1 in "$2 (timeout) "*) ;; *) return 1 ;; esac; }
# Whether timeout(1) made the process group $1.
is_timeout() { read -r line <"/proc/$1/stat" && stat_of_timeout "$line" "$1"; }
await_finish() {
  leader=$1 able=
  # The signal can reach a shell's child a moment sooner than the shell. It doesn't come where 130 is the step's own exit code.
  [ -n "$stopped" ] || { sleep 1; [ -n "$stopped" ] || return; }
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=${line%% *}
    set -- ${line##*)}
    [ "$4" = "$leader" ] && [ "$pid" != "$leader" ] && handles "${32}" || continue
    [ "$3" = "$leader" ] || is_timeout "$3" || continue
    able="$able $pid"
  done
  for pid in $able; do
    while runs "$pid"; do sleep 0.1 || sleep 1 || return; done
  done
} 2>/dev/null
runs() {
  read -r line <"/proc/$1/stat" || return
  set -- ${line##*)}
  case $1 in [ZX]) return 1 ;; esac
} 2>/dev/null

# Calls "$1" for each process in the session of $leader that is not in its group, with $pid, $group and $line set.
others() {
  action=$1
  for stat in /proc/[0-9]*/stat; do
    in_time || break
    read -r line <"$stat" || continue
    pid=${line%% *}
    set -- ${line##*)}
    group=$3
    [ "$4" = "$leader" ] && [ "$group" != "$leader" ] && "$action"
  done
}
find_timeout() {
  [ "$pid" = "$group" ] && stat_of_timeout "$line" "$pid" && timeouts="$timeouts$pid "
}
below_timeout() {
  case $timeouts in *" $group "*) [ "$pid" = "$group" ] || kill "-$name" "$pid" ;; esac
}
whole_group() { kill "-$name" "-$group"; }

# The command of timeout(1) would miss the signal; timeout itself would send it on twice.
# Exactly "kill -NAME -GROUP" works everywhere: dash refuses "--" after a name, ash reports it as a failure.
signal() {
  name=$1 leader=$2 timeouts=' '
  if [ "$name" = INT ]; then
    interrupt "$leader" && answer=yes
    return
  fi
  kill "-$name" "-$leader" && answer=yes
  if [ "$name" = KILL ]; then
    others whole_group
  else
    others find_timeout
    [ "$timeouts" = ' ' ] || others below_timeout
  fi
} 2>/dev/null

state() {
  kills=0 changed=0
  # cgroup v2, then v1.
  for counter in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r "$counter" ] || continue
    while read -r key value; do [ "$key" = oom_kill ] && kills=$value; done <"$counter"
  done
  # Never opened here: it can be a FIFO or a device.
  if [ -f "$1" ]; then [ -s "$1" ] && changed=1; elif [ -e "$1" ]; then changed=1; fi
  state="$kills $changed"
} 2>/dev/null

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
