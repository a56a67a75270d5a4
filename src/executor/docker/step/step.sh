# Engines give few open files since Docker 29: a soft limit of 1,024. Kept in parameters, as a variable's name can be the step's own.
set -- "$@" "$(ulimit -Sn)" "$(ulimit -Hn)"
{ [ "$6" = unlimited ] || [ "$6" -gt 1048576 ]; } 2>/dev/null && set -- "$1" "$2" "$3" "$4" "$5" 1048576
{ [ "$5" = unlimited ] || [ "$5" -ge "$6" ] || ulimit -Sn "$6"; } 2>/dev/null
trap : HUP
trap stopped=1 INT TERM
# The main process's output outlives a cut stream.
tell() { echo "$1" >/proc/1/fd/1; } 2>/dev/null
tell "$4 $$"
(echo "$$" >&2; exec 2>&1 </dev/null; cd -- "$2" && exec "$0" -c "$1")
code=$?
# dash, ash and others die of the signal at once, while their children still end their work.
[ -z "$stopped" ] && [ "$code" != 130 ] || await_finish "$$"
state "$3"
tell "$4 $code $state"
printf '\n%s\n' "$code $state" >&2
exec >&- 2>&-
read -r go
exit "$code"
