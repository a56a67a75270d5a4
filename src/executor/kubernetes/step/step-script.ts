import { INTERRUPT_FUNCTION } from '../../container/interrupt-function.ts';
import { STATE_FUNCTION } from '../../container/step-report.ts';
import type { ContainerFile, StepSpec } from '../../executor.ts';
import { quoted } from '../exec/exec-stream.ts';

/**
 * Copies output from fd 3's position until USR1 arrives, then to its end. Each `cat` resumes where
 * the last ended.
 */
const COPY = `
copy() {
  last=
  trap 'last=1' USR1
  while [ -z "$last" ]; do
    # Redirected, as the stream would otherwise stay open while this sleeps.
    sleep 0.1 >/dev/null 2>&1 &
    wait "$!"
    # The sender of USR1 may have been killed.
    kill -0 "$$" 2>/dev/null || last=1
    [ -n "$last" ] || cat <&3
  done
  cat <&3
}
`;

/**
 * Runs one step, or joins one that runs already. Its arguments are the folder, the step, the
 * environment file, the length in bytes of the shell code on stdin (so that no value is on a
 * command line), the bytes of output already delivered (empty on the first attempt), and the leader
 * if known. The script that creates the step's file first runs the step, so it begins only once.
 * The output goes to a file: a cut costs only the stream. Reports on stderr: the step's process
 * group and, at the end, the exit code (137 if none was written), the container's state and the
 * bytes of output.
 *
 * Three shells: the first leads the session, reads and copies; the second waits for the step and
 * records how it ended, even if the first is gone with its stream; the third becomes the step. The
 * traps keep the first two alive when their group is signalled; a shell's child gets the default
 * actions back, but never in the background, where the copier runs. Files that may already exist
 * are created by "true", not ":": a special builtin whose redirection fails ends the shell. The end
 * overwrites a placeholder, which works on a full disk too.
 */
export const STEP_SCRIPT = `
folder=$1 step=$2 environment=$3 known=$5 leader=$6 stopped=
trap : HUP INT TERM PIPE
${STATE_FUNCTION}
${INTERRUPT_FUNCTION}
${COPY}
run() {
  # Left by an earlier process with this number.
  [ ! -e "$folder/interrupted-$$" ] || rm -f "$folder/interrupted-$$"
  # Earlier steps' output was read already and takes up room.
  rm -rf "$folder"/output-* "$folder/end-$step"
  {
    echo "$$" >"$folder/step-$step" && true >"$folder/leader-$$" && true >"$folder/output-$step" &&
      echo 'running                 ' >"$folder/end-$step"
  } 2>/dev/null || {
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
    # The signal may still be on its way.
    [ "$stopped$code" != 130 ] || sleep 1
    # Only now, as the step would inherit ignored signals: await_finish waits for programs that handle SIGINT.
    trap '' HUP INT TERM
    [ -z "$stopped" ] && [ "$code" != 130 ] || await_finish "$$"
    state "$environment"
    printf '%-24s\\n' "$code $state" 2>/dev/null 1<>"$folder/end-$step"
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
    # An earlier attempt may have begun the step but not yet written its number.
    [ -n "$known" ] && { read -r leader <"$folder/step-$step" || { sleep 1; read -r leader <"$folder/step-$step"; }; } 2>/dev/null || exit 125
  fi
  set +C
fi
if [ -n "$leader" ]; then join; else run; fi
total=
read -r key total 2>/dev/null </proc/self/fdinfo/3
printf '\\n%s\\n' "$end\${total:+ of $total}" >&2
`;

const FILE_FUNCTION = `file() {
  [ ! -e "$2" ] && [ ! -L "$2" ] && { [ -d "\${2%/*}/" ] || mkdir -p "\${2%/*}/"; } &&
    (umask "$1" && printf %s "$3" >"$2") || echo "$2"
} 2>/dev/null`;

const NAME = /^[A-Za-z_]\w*$/;

/** Bash's read-only variables: exporting one would end a bash that runs as sh. */
const READ_ONLY = new Set(['BASHOPTS', 'BASH_VERSINFO', 'EUID', 'PPID', 'SHELLOPTS', 'UID']);

/**
 * A warning about variables that no shell can export: env(1)'s command line shows them in the
 * node's process list.
 */
export function exposureWarning(environment: StepSpec['environment']): string | undefined {
  const names = Object.keys(environment).filter((name) => !NAME.test(name));
  if (names.length === 0) return undefined;
  const list = names.map((name) => JSON.stringify(name)).join(', ');
  return `No shell can export ${list}, so each value is briefly on a command line inside the pod at the start of every step. Name variables with letters, digits and underscores only.`;
}

/**
 * A step as POSIX shell code that sets the environment, changes to the folder and execs the step's
 * shell.
 */
export function stepSettings({
  shell,
  script,
  workingDirectory: folder = '',
  environment,
}: StepSpec): string {
  const lines: string[] = [];
  const foreign: string[] = [];

  for (const [name, value] of Object.entries(environment)) {
    if (NAME.test(name) && !READ_ONLY.has(name)) lines.push(`export ${name}=${quoted(value)}`);
    else foreign.push(quoted(`${name}=${value}`));
  }

  const command = [
    ...(foreign.length === 0 ? [] : ['env', ...foreign]),
    quoted(shell),
    '-c',
    quoted(script),
  ].join(' ');

  const place = folder.startsWith('/') ? folder : `/${folder}`;

  return complete(`${lines.join('\n')}\ncd -- ${quoted(place)} && exec ${command}`);
}

/**
 * Code for STEP_SCRIPT that creates files and prints the paths of those that already exist or can't
 * be created. The umask sets the mode, so a file is never too open.
 */
export function fileSettings(files: readonly ContainerFile[]): string {
  const calls = files.map(({ path, mode, content }) => {
    const umask = (0o777 & ~mode).toString(8).padStart(4, '0');
    return `file ${umask} ${quoted(path)} ${quoted(content)}`;
  });
  return complete(`${FILE_FUNCTION}\n${calls.join('\n')}`);
}

/**
 * Code for STEP_SCRIPT that prints at most `bytes` bytes of a file, none if missing; exits with 3
 * if not regular.
 */
export function readSettings(path: string, bytes: number): string {
  const file = quoted(path);
  return complete(
    `[ -e ${file} ] || exit 0; [ -f ${file} ] || exit 3; exec head -c ${bytes} ${file} 2>/dev/null`,
  );
}

/** `code` with a last line that proves that it arrived whole. */
export function complete(code: string): string {
  return `${code}\n# complete`;
}
