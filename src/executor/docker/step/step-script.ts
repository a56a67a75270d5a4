import { shellText } from '../../../base/shell-text.ts';
import { withLibrary } from '../../container/shell.ts';
import { ContainerError, type StepSpec } from '../../executor.ts';
import { oneLine } from '../../foreign-text.ts';

/**
 * Runs one step: `sh -c SCRIPT <shell> <script> <folder> <environment file> <id>`, for dash, bash
 * and busybox ash.
 *
 * Its stdout is the step's output, both streams merged in order; its stderr carries only our
 * reports: the process group once the step's own process exists, so that no signal comes too early,
 * and at the end the exit code and the container's state. It then closes both and waits for a line:
 * an engine closes an exec's streams 2 s after its process has ended, whether or not all was read.
 * The same reports go to the main process's stdout, each after `<id> `.
 *
 * A stopped step is over once the programs that are finishing their work have ended. The traps keep
 * this shell alive when its group is signalled.
 */
export const STEP_SCRIPT = withLibrary(shellText('./step.sh', import.meta.url));

export function stepCommand(
  { shell, script, workingDirectory: folder = '', environment }: StepSpec,
  environmentFile: string,
  id: number,
): string[] {
  // dash and ash drop variables whose names they can't use; bash passes them on, and reads no
  // BASH_ENV in POSIX mode.
  const foreign = Object.keys(environment).some((name) => !/^[A-Za-z_]\w*$/.test(name));
  const interpreter = foreign && /(^|\/)bash$/.test(shell) ? [shell, '--posix'] : ['sh'];
  const place = folder.startsWith('/') ? folder : `/${folder}`;
  return [...interpreter, '-c', STEP_SCRIPT, shell, script, place, environmentFile, String(id)];
}

/** The step's process could not be started. */
export function startFailure(text: string, cause?: Error): ContainerError {
  const advice = /argument list too long/i.test(text)
    ? 'Make the script and each of its variables shorter than 128 KiB.'
    : /(cannot|can't) fork|resource temporarily unavailable/i.test(text)
      ? 'Make earlier steps leave fewer processes behind, or raise pids_limit.'
      : 'Check that the image has a POSIX shell and that the variables are valid.';
  const message = `Failed to start the step in its container: ${oneLine(text)}. ${advice}`;
  return new ContainerError(message, { code: 'PRA-CONTAINER-03', cause, fault: 'deployment' });
}
