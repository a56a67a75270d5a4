import { INTERRUPT_FUNCTION } from '../../container/interrupt-function.ts';
import { STATE_FUNCTION } from '../../container/step-report.ts';
import type { ContainerFile, StepSpec } from '../../executor.ts';
import { quoted } from '../exec/exec-stream.ts';

/** Copies the step's output from where fd 3 stands, until USR1 has come and all is read once more. Every `cat` goes on where the last one ended. */
const COPY = `
copy() {
  last=
  trap 'last=1' USR1
  while [ -z "$last" ]; do
    # Not on the stream: it would stay open for as long as this sleeps.
    sleep 0.1 >/dev/null 2>&1 &
    wait "$!"
    # What would send it may have been killed.
    kill -0 "$$" 2>/dev/null || last=1
    [ -n "$last" ] || cat <&3
  done
  cat <&3
}
`;

/**
 * Runs one step, or shows one that runs already; its words are folder, step, environment file, the bytes of shell code on stdin (no value
 * stands on a command line), the bytes of output that are known, empty at the first try, and the leader where that is known. What makes
 * the step's file first runs it, so it begins once. Its output goes to a file: a cut costs nothing but the stream. Reports on stderr: the
 * step's process group, and at the end the exit code (137 where none is written), how the container stands, and the bytes of output.
 *
 * Three shells: the first leads the session, reads and copies; the second waits for the step and writes down how it ended, also when the
 * first is gone with its stream; the third becomes the step. The traps keep the first two alive when their group is signalled; a shell's
 * child gets the default actions back, but never in the background, where the copying runs. "true", not ":", makes the files that may be
 * there: a special builtin whose redirection fails ends the shell. The end is written over what stands there, for which a full disk has room.
 */
export const STEP_SCRIPT = `
folder=$1 step=$2 environment=$3 known=$5 leader=$6 stopped=
trap : HUP INT TERM PIPE
${STATE_FUNCTION}
${INTERRUPT_FUNCTION}
${COPY}
run() {
  # Left of a process that had this number before.
  [ ! -e "$folder/interrupted-$$" ] || rm -f "$folder/interrupted-$$"
  # What the steps before have printed was read, and takes room.
  rm -rf "$folder"/output-* "$folder/end-$step"
  {
    echo "$$" >"$folder/step-$step" && true >"$folder/leader-$$" >"$folder/output-$step" &&
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
    # The signal may be on its way still.
    [ "$stopped$code" != 130 ] || sleep 1
    # Now that no child of it can inherit that: await_finish waits for programs that handle SIGINT.
    trap '' HUP INT TERM
    [ -z "$stopped" ] && [ "$code" != 130 ] || await_finish "$$"
    state "$environment"
    printf '%-24s\\n' "$code $state" 2>/dev/null 1<>"$folder/end-$step"
    exit "$code"
  )
  code=$?
  kill -USR1 "$copier"
  # A step may be over before the copier has so much as set its trap: then USR1 ends it.
  wait "$copier" || cat <&3
  over || { state "$environment"; end="$code $state"; }
}
over() {
  end=
  read -r end 2>/dev/null <"$folder/end-$step"
  case $end in [0-9]*) return 0 ;; *) return 1 ;; esac
}
# What a step has left running doesn't tell its end.
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
    # The number of the step that a try before has begun may not be there yet.
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

/** Names that a shell can export. */
const NAME = /^[A-Za-z_]\w*$/;
/** Names that bash keeps to itself: exporting one would end a shell that calls itself sh. */
const READ_ONLY = new Set(['BASHOPTS', 'BASH_VERSINFO', 'EUID', 'PPID', 'SHELLOPTS', 'UID']);

/** The warning of variables whose names no shell can export: env(1) takes them from its command line, which the node's processes show. */
export function exposureWarning({ environment }: Pick<StepSpec, 'environment'>): string | undefined {
  const names = Object.keys(environment).filter((name) => !NAME.test(name));
  if (names.length === 0) return undefined;
  const list = names.map((name) => JSON.stringify(name)).join(', ');
  return `No shell can export ${list}, which puts each value on a command line inside the pod for a moment whenever a step begins. Name variables with letters, digits and underscores only.`;
}

/** A step as POSIX shell code: sets its environment, goes to its folder and becomes its shell. */
export function stepSettings({ shell, script, workingDirectory: folder = '', environment }: StepSpec): string {
  const lines: string[] = [];
  const foreign: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (NAME.test(name) && !READ_ONLY.has(name)) lines.push(`export ${name}=${quoted(value)}`);
    else foreign.push(quoted(`${name}=${value}`));
  }
  const command = [...(foreign.length === 0 ? [] : ['env', ...foreign]), quoted(shell), '-c', quoted(script)].join(' ');
  const place = folder.startsWith('/') ? folder : `/${folder}`;
  return complete(`${lines.join('\n')}\ncd -- ${quoted(place)} && exec ${command}`);
}

/** Code for STEP_SCRIPT that prints the paths of those files which are there already, or can't be made. The umask makes the mode: no moment leaves a file open. */
export function fileSettings(files: readonly ContainerFile[]): string {
  const calls = files.map(({ path, mode, content }) => {
    const umask = (0o777 & ~mode).toString(8).padStart(4, '0');
    return `file ${umask} ${quoted(path)} ${quoted(content)}`;
  });
  return complete(`${FILE_FUNCTION}\n${calls.join('\n')}`);
}

/** Code for STEP_SCRIPT that prints a regular file, at most so many bytes of it; exit code 3 for anything else that is there. */
export function readSettings(path: string, bytes: number): string {
  const file = quoted(path);
  return complete(`[ -e ${file} ] || exit 0; [ -f ${file} ] || exit 3; exec head -c ${bytes} ${file} 2>/dev/null`);
}

/** Code that ends with the line which proves that it arrived whole. */
export function complete(code: string): string {
  return `${code}\n# complete`;
}
