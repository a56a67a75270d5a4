pause() {
  slept=
  command eval 'sleep "$1" & slept=1; wait "$!"' 2>/dev/null
  [ -z "$slept" ] || return 0
  read -r now rest </proc/uptime
  until=$((${now%%.*} + $1))
  while [ -z "$ended" ] && [ "${now%%.*}" -lt "$until" ]; do read -r now rest </proc/uptime; done
}
