# Engines give few open files since Docker 29: a soft limit of 1,024. Kept in parameters, as a variable's name may be the step's own.
set -- "$@" "$(ulimit -Sn)" "$(ulimit -Hn)"
{ [ "$5" = unlimited ] || [ "$5" -gt 1048576 ]; } 2>/dev/null && set -- "$1" "$2" "$3" "$4" 1048576
{ [ "$4" = unlimited ] || [ "$4" -ge "$5" ] || ulimit -Sn "$5"; } 2>/dev/null
trap : HUP
trap stopped=1 INT TERM
# The main process's output outlives a cut stream.
tell() { echo "$id $1" >/proc/1/fd/1; } 2>/dev/null
id=$4
tell "$$"
(echo "$$" >&2; exec 2>&1 </dev/null; cd -- "$2" && exec "$0" -c "$1")
code=$?
# dash, ash and others die of the signal at once, while what they ran still ends its work.
[ -z "$stopped" ] && [ "$code" != 130 ] || await_finish "$$"
state "$3"
tell "$code $state"
printf '\n%s\n' "$code $state" >&2
exec >&- 2>&-
read -r go
exit "$code"
