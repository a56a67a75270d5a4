import { shellText } from '../../../base/shell-text.ts';
import { withLibrary } from '../../container/shell.ts';
import type { ContainerFile, StepSpec } from '../../executor.ts';
import { quoted } from '../exec/exec-stream.ts';

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
 * actions back, but never in the background, where the copier runs. Files that can already exist
 * are created by "true", not ":": a special builtin whose redirection fails ends the shell. The end
 * overwrites a placeholder, which works on a full disk too.
 */
export const STEP_SCRIPT = withLibrary(shellText('./step.sh', import.meta.url));

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
