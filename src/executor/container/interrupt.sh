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
  leader=$1 able=' ' others_of_group=
  for stat in /proc/[0-9]*/stat; do
    in_time || break
    read -r line <"$stat" || continue
    pid=${line%% *}
    set -- ${line##*)}
    [ "$3" = "$leader" ] || continue
    if handles "${32}"; then able="$able$pid "; elif [ -p "/proc/$pid/fd/0" ] || [ -S "/proc/$pid/fd/0" ]; then others_of_group="$others_of_group $pid"; fi
  done
  spared=' ' more=1
  while [ -n "$more" ]; do
    more=
    for reader in $others_of_group; do
      case $spared in *" $reader "*) continue ;; esac
      in_time || break 2
      for writer in $able $spared; do
        if [ "$writer" != "$leader" ] && feeds "$writer" "$reader"; then
          spared="$spared$reader " more=1
          break
        fi
      done
    done
  done
  [ "$spared" != ' ' ] || { kill -INT "-$leader"; return; }
  # The shell that waits for the step must know of the interrupt before the step dies of it: it is the leader or a child of that.
  children= rest=
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=${line%% *}
    set -- ${line##*)}
    [ "$3" = "$leader" ] && [ "$pid" != "$leader" ] || continue
    case $spared in *" $pid "*) continue ;; esac
    if [ "$2" = "$leader" ]; then children="$children $pid"; else rest="$rest $pid"; fi
  done
  for pid in "$leader" $children $rest; do kill -INT "$pid"; done
  return 0
} 2>/dev/null
await_finish() {
  leader=$1 able=
  # The signal may meet what a shell waits for a moment sooner than the shell. It doesn't come where 130 is the step's own exit code.
  [ -n "$stopped" ] || { sleep 1; [ -n "$stopped" ] || return; }
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=${line%% *}
    set -- ${line##*)}
    [ "$4" = "$leader" ] && [ "$pid" != "$leader" ] && handles "${32}" || continue
    if [ "$3" != "$leader" ]; then
      # timeout(1) has a process group of its own, with its command.
      read -r line <"/proc/$3/stat" || continue
      case $line in "$3 (timeout) "*) ;; *) continue ;; esac
    fi
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
