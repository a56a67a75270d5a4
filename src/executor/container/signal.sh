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
  case $line in "$pid (timeout) "*) [ "$pid" = "$group" ] && timeouts="$timeouts$pid " ;; esac
}
below_timeout() {
  case $timeouts in *" $group "*) [ "$pid" = "$group" ] || kill "-$name" "$pid" ;; esac
}
whole_group() { kill "-$name" "-$group"; }

# As a terminal would: the step's process group. Pulumi's plugins are in groups of their own just so that they can end
# their work; timeout(1) too is in one, with its command, which would miss the signal (timeout itself would send it on
# twice). SIGKILL takes the whole session.
# Exactly "kill -NAME -GROUP" works everywhere: dash refuses "--" after a name, ash reports it as a failure.
signal() {
  name=$1 leader=$2 timeouts=' '
  if [ "$name" = INT ]; then interrupt "$leader"; else kill "-$name" "-$leader"; fi && answer=yes
  if [ "$name" = KILL ]; then
    others whole_group
  else
    others find_timeout
    [ "$timeouts" = ' ' ] || others below_timeout
  fi
} 2>/dev/null
