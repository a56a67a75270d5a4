grace=$1 stop_signal=$2 interrupted=' ' wakes=0
trap '' HUP INT PIPE TERM
trap 'echo 0 ending; ending' "$stop_signal"
# Reaps without a fork: in dash and ash, only a wait or this does.
trap 'jobs >/dev/null 2>&1; woken=1' CHLD

uptime() { IFS=. read -r now rest </proc/uptime; }
in_time() { uptime && [ "$now" -lt "$end" ]; } 2>/dev/null

# Every exec leads a session. Nothing is interrupted twice: Pulumi would take that for the wish to end without its state.
ending() {
  trap '' "$stop_signal"
  # Without a trap, each SIGCHLD begins the time of ash's "read" anew.
  trap : CHLD
  uptime || exit
  end=$((now + grace))
  for stat in /proc/[0-9]*/stat; do
    in_time || exit 0
    read -r line <"$stat" || continue
    pid=${line%% *}
    set -- ${line##*)}
    case $interrupted in *" $pid "*) continue ;; esac
    [ "$4" = "$pid" ] && [ "$pid" != 1 ] && signal INT "$pid"
  done 2>/dev/null
  # Nothing comes from this pipe. Where "read" knows no time, this is a busy loop.
  while jobs >/dev/null; kill -0 -1 && in_time; do read -t 1 -r line <>/proc/self/fd/0; done 2>/dev/null
  exit 0
}

ids=
while read -r key value rest; do
  case $key in Uid: | Gid:) ids="$ids $value" ;; esac
done </proc/self/status
echo "0 ready$ids"
# The end of a child interrupts "read" too. A flood of these signals hides the end of the stdin, but not that no line comes.
while woken= verb=; read -r id verb a b || [ -n "$woken" ]; do
  if [ -z "$verb" ]; then
    [ "$wakes" != 0 ] || { uptime && since=$now; }
    wakes=$((wakes + 1))
    [ $((wakes % 1000)) != 0 ] || { uptime && [ $((now - since)) -lt 5 ]; } || break
    continue
  fi
  wakes=0 answer=no
  case $verb in
    signal)
      [ "$a" != INT ] || interrupted="$interrupted$b "
      uptime && end=$((now + grace))
      signal "$a" "$b"
      continue
      ;;
    state) state "$0"; answer=$state ;;
    memory) memory ;;
    runs) [ ! -d "/proc/$a" ] || answer=yes ;;
    *) continue ;;
  esac
  echo "$id $answer"
done

# The agent is gone.
ending
