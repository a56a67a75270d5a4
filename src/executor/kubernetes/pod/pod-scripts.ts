import { MEMORY_FUNCTION } from '../../container/memory.ts';
import { SIGNAL_FUNCTION } from '../../container/signal-function.ts';

/** Where the agent's own files lie in the job's container; an empty folder of the pod's own. */
export const CONTROL_FOLDER = '/mnt/pulumi-runner';
/** Seconds without a heartbeat of the agent after which the pod ends itself. One comes every 20 s. */
export const LEASE_SECONDS = 200;
/** Seconds that what runs then gets after its interrupt; with the lease it stays under the 5 minutes that are promised. */
export const ORPHAN_GRACE_SECONDS = 45;

/** What the pod's termination log says when it was the lease that ran out. */
export const LEASE_OVER = 'no heartbeat of the agent';

/** `pause <seconds>` by a process. Where the container has no room for one, a shell that forks would end, but not in an eval behind "command": it looks at the time. */
const PAUSE = `
pause() {
  slept=
  command eval 'sleep "$1" & slept=1; wait "$!"' 2>/dev/null
  [ -z "$slept" ] || return 0
  read -r now rest </proc/uptime
  until=$((\${now%%.*} + $1))
  while [ -z "$ended" ] && [ "\${now%%.*}" -lt "$until" ]; do read -r now rest </proc/uptime; done
}
`;

/** Interrupts every step that runs and wasn't interrupted before (engines take a second one for "at once"), and waits for up to $1 seconds until none runs. */
const INTERRUPT_ALL = `
running() {
  found=
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=\${line%% *}
    set -- \${line##*)}
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
`;

/**
 * The container's main process: \`sh -c SCRIPT <folder> <lease> <grace> <grace when deleted> <keep>\`. It ends when no heartbeat came for
 * the lease's time, or when the pod is deleted; what runs is interrupted first. As the container's first process it takes in what others
 * left behind: \`wait\` collects them.
 */
export const MAIN_SCRIPT = `
folder=$0
${SIGNAL_FUNCTION}
${PAUSE}
${INTERRUPT_ALL}
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
echo '${LEASE_OVER}' 2>/dev/null >/dev/termination-log
interrupt_all "$2"
sleep "$4" &
wait "$!"
`;

/**
 * The other end of the control channel; its word is the folder. Takes requests, a line each, and answers \`<id> <answer>\`. A line that
 * comes a second time, over another stream, is answered only. "true", not ":", makes the files that may not be writable: a special
 * builtin whose redirection fails ends the shell. The beat is written over, not anew, for which there is room on a full disk too.
 *
 *   <id> beat                      the agent lives
 *   <id> signal <name> <leader>    → yes, no
 *   <id> memory                    → what MEMORY_FUNCTION says, no
 */
export const CONTROL_SCRIPT = `
folder=$1
trap '' HUP INT TERM
${SIGNAL_FUNCTION}
${MEMORY_FUNCTION}
while read -r id verb a b; do
  [ -e "$folder/done-$id" ] && { echo "$id yes"; continue; }
  answer=no
  case $verb in
    beat) echo "$id" 1<>"$folder/beat" && answer=yes ;;
    signal) true >"$folder/done-$id"; [ "$a" != INT ] || true >"$folder/interrupted-$b"; signal "$a" "$b" ;;
    memory) memory ;;
  esac
  echo "$id $answer"
done
`;
