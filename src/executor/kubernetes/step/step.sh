# Copies output from fd 3's position until USR1 arrives, then to its end. Each `cat` resumes where the last ended.
copy() {
  last=
  trap 'last=1' USR1
  while [ -z "$last" ]; do
    # Redirected, as the stream would otherwise stay open while this sleeps.
    sleep 0.1 >/dev/null 2>&1 &
    wait "$!"
    # The sender of USR1 can have been killed.
    kill -0 "$$" 2>/dev/null || last=1
    [ -n "$last" ] || cat <&3
  done
  cat <&3
}
folder=$1 step=$2 environment=$3 known=$5 leader=$6 stopped=
trap : HUP INT TERM PIPE
begin() {
  echo "$$" >"$folder/step-$step" && true >"$folder/leader-$$" && true >"$folder/output-$step" &&
    echo 'running                 ' >"$folder/end-$step"
} 2>/dev/null
run() {
  # Left by an earlier process with this number.
  [ ! -e "$folder/interrupted-$$" ] || rm -f "$folder/interrupted-$$"
  # Earlier steps' output was read already and takes up room.
  rm -rf "$folder"/output-* "$folder/end-$step"
  # The last step's copier can hold its output, and so the room, a moment longer.
  begin || { sleep 1; begin; } || {
    rm -f "$folder/step-$step" "$folder/end-$step"
    echo 'the disk of the volume "pulumi-runner" in its pod is full' >&2
    exit 125
  }
  exec 3<"$folder/output-$step"
  echo "$$" >&2
  copy &
  copier=$!
  (
    trap : HUP PIPE
    trap stopped=1 INT TERM
    (read -r process rest </proc/self/stat; echo "$process" 2>/dev/null >"$folder/process-$step"
      exec >"$folder/output-$step" 2>&1 </dev/null 3<&-; eval "$settings")
    code=$?
    # The signal can still be on its way.
    [ "$stopped$code" != 130 ] || sleep 1
    # Only now, as the step would inherit ignored signals: await_finish waits for programs that handle SIGINT.
    trap '' HUP INT TERM
    [ -z "$stopped" ] && [ "$code" != 130 ] || await_finish "$$"
    state "$environment"
    printf '%-24s\n' "$code $state" 2>/dev/null 1<>"$folder/end-$step"
    exit "$code"
  )
  code=$?
  kill -USR1 "$copier"
  # If the step ends before the copier has set its trap, USR1 kills the copier.
  wait "$copier" || cat <&3
  over || { state "$environment"; end="$code $state"; }
}
over() {
  end=
  read -r end 2>/dev/null <"$folder/end-$step"
  case $end in [0-9]*) return 0 ;; *) return 1 ;; esac
}
# True if the step's shells are dead; processes that the step left running don't count.
gone() {
  kill -0 "-$leader" || return 0
  process=
  read -r process <"$folder/process-$step"
  [ -n "$process" ] && ! kill -0 "$leader" && ! kill -0 "$process"
} 2>/dev/null
join() {
  echo "$leader" >&2
  output=$folder/output-$step
  [ -f "$output" ] || output=/proc/$leader/fd/3
  [ -f "$output" ] || output=/dev/null
  exec 3<"$output"
  tail -c "+$((known + 1))" <&3
  until over; do
    if gone; then
      sleep 1
      over || end='137 0 1'
      break
    fi
    sleep 0.1
    cat <&3
  done
  cat <&3
}
if [ -z "$leader" ]; then
  settings=$(head -c "$4")
  case $settings in *'# complete') ;; *) exit 125 ;; esac
  set -C
  if ! true 2>/dev/null >"$folder/step-$step"; then
    # An earlier attempt can have begun the step but not yet written its number.
    [ -n "$known" ] && { read -r leader <"$folder/step-$step" || { sleep 1; read -r leader <"$folder/step-$step"; }; } 2>/dev/null || exit 125
  fi
  set +C
fi
if [ -n "$leader" ]; then join; else run; fi
total=
# By its key: the fdinfo of older gVisor has only `flags:`.
[ ! -r /proc/self/fdinfo/3 ] ||
  while read -r key value; do [ "$key" != pos: ] || total=$value; done </proc/self/fdinfo/3
printf '\n%s\n' "$end${total:+ of $total}" >&2
