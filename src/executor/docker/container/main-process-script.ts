import { SIGNAL_FUNCTION } from '../../container/signal-function.ts';
import { STATE_FUNCTION } from '../../container/state-function.ts';

/** Seconds that a step gets after an interrupt when the agent is gone, before the container ends under it. */
export const ORPHAN_GRACE_SECONDS = 10;

/**
 * What the engine sends the main process when it has to stop the container, or itself: SIGPWR, which is 30 wherever containers
 * run (signal(7)). SIGTERM would be what a step's own `pkill` sends.
 */
export const STOP_SIGNAL = 30;

/**
 * The container's main process: a POSIX shell that obeys lines on its stdin and answers on its stdout, `<id> <answer>` each.
 * Run as `sh -c SCRIPT <environment file> <grace>`; understood by dash, bash and busybox ash, with builtins alone but for sleep.
 *
 *   <id> signal <name> <leader>  signals the step whose first process is <leader> → yes, no
 *   <id> state                   → what STATE_FUNCTION says of the environment file
 *
 * It says `0 ready <uid> <gid>` first. The agent holds the stdin. When the agent dies the stdin ends: whatever runs is interrupted
 * and, a little later, the container is over. The same where the engine has to stop it; `0 ending` tells the agent.
 */
export const MAIN_PROCESS_SCRIPT = `
trap '' HUP INT PIPE TERM
trap 'echo 0 ending; ending' ${STOP_SIGNAL}
grace=$1 interrupted=' '

${SIGNAL_FUNCTION}

${STATE_FUNCTION}

# Every exec leads a session; 1 is the init's, which this shell is in. Nothing is interrupted twice: Pulumi would take that for
# the wish to end without its state.
ending() {
  trap '' ${STOP_SIGNAL}
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=\${line%% *}
    set -- \${line##*)}
    case $interrupted in *" $pid "*) continue ;; esac
    [ "$4" = "$pid" ] && [ "$pid" != 1 ] && [ "$pid" != "$$" ] && signal INT "$pid"
  done 2>/dev/null
  n=0
  while [ "$n" -lt "$grace" ] && kill -0 -1 2>/dev/null && sleep 1; do n=$((n + 1)); done
  exit
}

ids=
while read -r key value rest; do
  case $key in Uid: | Gid:) ids="$ids $value" ;; esac
done </proc/self/status
echo "0 ready$ids"
while read -r id verb a b; do
  answer=no
  case $verb in
    signal)
      [ "$a" != INT ] || interrupted="$interrupted$b "
      signal "$a" "$b"
      ;;
    state) state "$0"; answer=$state ;;
    *) continue ;;
  esac
  echo "$id $answer"
done

# The agent is gone.
ending
`;
