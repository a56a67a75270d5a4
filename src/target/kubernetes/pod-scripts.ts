import { FILE_FUNCTION } from '../shell/file-function.ts';
import { INTERRUPT_FUNCTION } from '../shell/interrupt-function.ts';
import { SIGNAL_FUNCTION } from '../shell/signal-function.ts';
import { STATE_FUNCTION } from '../shell/state-function.ts';

/** Where the agent's own files lie in the job's container; an empty folder of the pod's own. */
export const CONTROL_FOLDER = '/mnt/pulumi-runner';
/** Seconds without a word of the agent after which the pod ends itself. The agent speaks every 20 s. */
export const LEASE_SECONDS = 200;
/** Seconds that what runs then gets after its interrupt; with the lease it stays under the 5 minutes that are promised. */
export const ORPHAN_GRACE_SECONDS = 45;

/**
 * Interrupts every step that runs and wasn't interrupted before (engines take a second time for "at once"), and waits for up to $1 seconds until none does. A step's first process leads a session;
 * 1 is this container's own, $$ the shell that asks.
 */
const INTERRUPT_ALL = `
running() {
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=\${line%% *}
    set -- \${line##*)}
    [ "$4" = "$pid" ] && [ "$pid" != 1 ] && [ -e "$folder/leader-$pid" ] && echo "$pid"
  done 2>/dev/null
}
interrupt_all() {
  for each in $(running); do
    [ -e "$folder/interrupted-$each" ] || { leader=$each; signal INT "$each"; }
  done
  n=0
  while [ "$n" -lt "$1" ] && [ -n "$(running)" ]; do sleep 1; n=$((n + 1)); done
}
`;

/**
 * The container's main process: \`sh -c SCRIPT <folder> <lease> <grace> <grace when deleted> <keep>\`. It ends when the agent hasn't been
 * heard of for the lease's time, or when the pod is deleted; what runs is interrupted first. As the container's first process
 * it takes in what others left behind: \`wait\` collects them.
 */
export const MAIN_SCRIPT = `
folder=$0
${SIGNAL_FUNCTION}
${INTERRUPT_ALL}
trap 'ended=1' TERM
trap '' HUP INT
ended='' last='' silent=0
while [ -z "$ended" ] && [ "$silent" -lt "$1" ]; do
  sleep 2 &
  wait "$!"
  beat=
  read -r beat 2>/dev/null <"$folder/beat"
  if [ "$beat" = "$last" ]; then silent=$((silent + 2)); else last=$beat silent=0; fi
done
if [ -n "$ended" ]; then interrupt_all "$3"; exit; fi
interrupt_all "$2"
sleep "$4" &
wait "$!"
`;

/**
 * The agent's ear in the container: \`sh -c SCRIPT <folder> <STEP_SCRIPT>\`. Leaves the latter where RUN_STEP finds it, then obeys
 * lines on its stdin and answers on its stdout, \`<id> <answer>\` each. A line may come a second time, over another stream: nothing
 * but the first is done.
 *
 *   <id> beat                             the agent lives
 *   <id> file <umask> <path> <content>    creates a file that isn't there yet; the content as printf %b takes it → yes, no
 *   <id> signal <name> <leader>           → yes, no
 *   <id> state                            → what STATE_FUNCTION says of the environment file
 *   <id> forbid <step>                    keeps a step from beginning that hasn't begun → yes; no when it has
 *   <id> forget <step>                    removes a step's output → yes
 */
export const CONTROL_SCRIPT = `
folder=$0
trap '' HUP INT TERM
${SIGNAL_FUNCTION}
${STATE_FUNCTION}
${FILE_FUNCTION}
[ -s "$folder/run" ] || printf %s "$1" >"$folder/run" || exit
echo '0 ready'
while read -r id verb a b c; do
  [ -e "$folder/done-$id" ] && { echo "$id yes"; continue; }
  answer=no
  case $verb in
    beat) echo "$id" >"$folder/beat" && answer=yes ;;
    signal) : >"$folder/done-$id"; [ "$a" != INT ] || : >"$folder/interrupted-$b"; signal "$a" "$b" ;;
    file) file "$a" "$b" "$c"; [ "$answer" = no ] || : >"$folder/done-$id" ;;
    state) state "$a"; answer=$state ;;
    forbid) { set -C; echo 0 2>/dev/null >"$folder/step-$a" && answer=yes; set +C; } 2>/dev/null ;;
    forget) rm -f "$folder/output-$a" && answer=yes ;;
    *) continue ;;
  esac
  echo "$id $answer"
done
`;

/**
 * Copies what is in the step's output file from where fd 3 stands, until USR1 has come and all is read once more. `cat` goes on
 * where the last one ended: they share the file's position.
 */
const COPY = `
copy() {
  last=
  trap 'last=1' USR1
  while [ -z "$last" ]; do
    # Not on the stream: it would stay open for as long as this sleeps.
    sleep 0.1 >/dev/null 2>&1 &
    wait "$!"
    [ -n "$last" ] || cat <&3
  done
  cat <&3
}
`;

/** A step's command, for each to be short: the API server, the kubelet and the container runtime take 5 ms for STEP_SCRIPT in full. */
export const RUN_STEP = 'folder=$0; . "$folder/run"';

/**
 * Runs one step: \`sh -c RUN_STEP <folder> <step> <environment file> <bytes>\`, with the step's settings as shell code of that many
 * bytes on its stdin: no value of it stands on a command line. The step's output goes to a file, so that a stream that is cut
 * costs nothing but the stream; what is in the file goes to stdout while the step runs. On stderr stand the step's process
 * group, and at the end the exit code and how the container stands.
 *
 * Three shells: the first leads the session, reads and copies; the second waits for the step and writes down how it ended,
 * also when the first is gone with its stream; the third becomes the step. The traps keep the first two alive when their
 * group is signalled; a shell's child gets the default actions back, but never when it was started in the background,
 * which is why the copying is what runs there. A step that was stopped is over when whatever ends its work in order has done so. "echo", not ":", makes the files that may be there: a special builtin whose
 * redirection fails ends the shell.
 */
export const STEP_SCRIPT = `
step=$1 environment=$2 stopped=
trap : HUP INT TERM PIPE
${STATE_FUNCTION}
${INTERRUPT_FUNCTION}
${COPY}
settings=$(head -c "$3")
case $settings in *'# complete') ;; *) exit 125 ;; esac
set -C
echo "$$" 2>/dev/null >"$folder/step-$step" || exit 125
set +C
# Left of a process that had this number before.
[ ! -e "$folder/interrupted-$$" ] || rm -f "$folder/interrupted-$$"
: >"$folder/leader-$$" >"$folder/output-$step"
exec 3<"$folder/output-$step"
echo "$$" >&2
copy &
copier=$!
(
  trap : HUP PIPE
  trap stopped=1 INT TERM
  (exec >"$folder/output-$step" 2>&1 </dev/null 3<&-; eval "$settings")
  code=$?
  # The signal may be on its way still.
  [ "$stopped$code" != 130 ] || sleep 1
  # Now that no child of it can inherit that: await_finish waits for programs that handle SIGINT.
  trap '' HUP INT TERM
  [ -z "$stopped" ] && [ "$code" != 130 ] || await_finish "$$"
  state "$environment"
  echo "$code $state" >"$folder/end-$step"
)
kill -USR1 "$copier"
# A step may be over before the copier has so much as set its trap: then USR1 ends it.
wait "$copier" || cat <&3
read -r end <"$folder/end-$step"
printf '\\n%s\\n' "$end" >&2
`;

/**
 * Takes a step's output up again: \`sh -c SCRIPT <folder> <step> <bytes that are known>\`. On stderr the leader, and at the end
 * what STEP_SCRIPT says there; 137 where nothing of the step is left and nobody wrote down its end.
 */
export const REJOIN_SCRIPT = `
folder=$0 step=$1
trap '' HUP INT TERM
read -r leader <"$folder/step-$step" || exit 124
echo "$leader" >&2
exec 3<"$folder/output-$step" || exit 124
tail -c "+$(($2 + 1))" <&3
while [ ! -s "$folder/end-$step" ]; do
  if ! kill -0 "-$leader" 2>/dev/null; then
    sleep 1
    [ -s "$folder/end-$step" ] || echo '137 0 1' >"$folder/end-$step"
  fi
  sleep 0.1
  cat <&3
done
cat <&3
read -r end <"$folder/end-$step"
printf '\\n%s\\n' "$end" >&2
`;
