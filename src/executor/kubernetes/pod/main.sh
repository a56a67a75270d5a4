# Sleeps in a child process. If the container is out of processes, a failing fork would end the shell, unless it happens in an eval
# after "command"; then this polls the clock.
pause() {
  slept=
  command eval 'sleep "$1" & slept=1; wait "$!"' 2>/dev/null
  [ -z "$slept" ] || return 0
  read -r now rest </proc/uptime
  until=$((${now%%.*} + $1))
  while [ -z "$ended" ] && [ "${now%%.*}" -lt "$until" ]; do read -r now rest </proc/uptime; done
}

# Sets $leaders to those of the running steps; fails if there is none.
running() {
  leaders=
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=${line%% *}
    set -- ${line##*)}
    [ "$4" = "$pid" ] && [ "$pid" != 1 ] && [ -e "$folder/leader-$pid" ] && leaders="$leaders $pid"
  done 2>/dev/null
  [ -n "$leaders" ]
}
# Interrupts running steps once only (a second means "at once" to an engine); waits up to $1 seconds for them.
interrupt_all() {
  running
  for each in $leaders; do
    [ -e "$folder/interrupted-$each" ] || { leader=$each; signal INT "$each"; }
  done
  n=0 ended=
  while [ "$n" -lt "$1" ] && running; do pause 1; n=$((n + 1)); done
}

folder=$0
trap 'ended=1' TERM
trap '' HUP INT
ended='' last='' silent=0
while [ -z "$ended" ] && [ "$silent" -lt "$1" ]; do
  pause 2
  beat=
  read -r beat 2>/dev/null <"$folder/beat"
  if [ "$beat" = "$last" ]; then silent=$((silent + 2)); else last=$beat silent=0; fi
done
if [ -n "$ended" ]; then interrupt_all "$3"; exit; fi
echo "$5" 2>/dev/null >/dev/termination-log
interrupt_all "$2"
sleep "$4" &
wait "$!"
