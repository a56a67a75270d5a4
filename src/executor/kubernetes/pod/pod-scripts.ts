import { MEMORY_FUNCTION } from '../../container/memory.ts';
import { SIGNAL_FUNCTION } from '../../container/signal-function.ts';

/** The folder of the agent's own files in the job's container: an emptyDir of the pod. */
export const CONTROL_FOLDER = '/mnt/pulumi-runner';

/** Seconds without the agent's heartbeat, sent every 20 s, after which the pod ends itself. */
export const LEASE_SECONDS = 200;

/**
 * Seconds from interrupting a running step until it is killed; with the lease, less than the
 * promised 5 minutes.
 */
export const ORPHAN_GRACE_SECONDS = 45;

/** The pod's termination message when the lease has run out. */
export const LEASE_OVER = 'no heartbeat of the agent';

/**
 * `pause <seconds>` sleeps in a child process. If the container is out of processes, a failing fork
 * would end the shell, unless it happens in an eval after "command"; then `pause` polls the clock.
 */
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

/**
 * Interrupts running steps once only (a second means "at once" to an engine); waits up to $1
 * seconds for them.
 */
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
 * The container's main process: `sh -c SCRIPT <folder> <lease> <grace> <grace when deleted>
 * <keep>`, times in seconds. When the lease runs out without a heartbeat, or the pod is deleted,
 * it interrupts running steps and ends. As the container's PID 1 it inherits orphans; `wait`
 * reaps them.
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
 * The other end of the control channel; its argument is the folder. Reads requests, one per line,
 * and answers each with `<id> <answer>`. A signal that is requested again, over another stream,
 * is only answered. Files that may not be writable are created by "true", not ":": a special
 * builtin whose redirection fails ends the shell. The beat is overwritten in place, which works on
 * a full disk too.
 *
 *   <id> beat                      the agent lives
 *   <id> signal <name> <leader>    → yes, no
 *   <id> memory                    → MEMORY_FUNCTION's answer, no
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
