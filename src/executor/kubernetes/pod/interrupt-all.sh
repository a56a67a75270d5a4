running() {
  found=
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=${line%% *}
    set -- ${line##*)}
    [ "$4" = "$pid" ] && [ "$pid" != 1 ] && [ -e "$folder/leader-$pid" ] && found="$found $pid"
  done 2>/dev/null
  [ -n "$found" ]
}
interrupt_all() {
  running
  for each in $found; do
    [ -e "$folder/interrupted-$each" ] || { leader=$each; signal INT "$each"; }
  done
  n=0 ended=
  while [ "$n" -lt "$1" ] && running; do pause 1; n=$((n + 1)); done
}
