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
