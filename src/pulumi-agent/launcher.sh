folder=$1 interrupted=$2 terminated=$3; shift 3
exec 3<&0 </dev/null
( trap '' INT TERM HUP
  cat <&3 >/dev/null 2>&1
  rm -f -- "$folder"/*.yaml
  kill -s INT -- -$$; sleep "$interrupted"
  kill -s TERM -- -$$; sleep "$terminated"
  rm -rf -- "$folder"
  kill -s KILL -- -$$ ) >/dev/null 2>&1 &
exec 3<&-
exec "$@"
