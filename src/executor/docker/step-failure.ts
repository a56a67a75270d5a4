import { ContainerError, ContainerLostError } from '../executor.ts';
import { oneLine } from '../one-line.ts';
import { textOf } from './errors.ts';

/** The step may run on, but nothing of it can be seen any more. */
export function cutOff(cause?: unknown): ContainerLostError {
  const why = cause === undefined ? '' : ` (${textOf(cause)})`;
  const reason = `the connection that carries its output was cut${why}. Check the engine and the network between here and there.`;
  return new ContainerLostError(`Failed to follow the step in its container: ${reason}`, { cause, reason });
}

/** The step's process never came to be. */
export function startFailure(text: string, cause?: Error): ContainerError {
  const advice = /argument list too long/i.test(text)
    ? 'Make the script and each of its variables shorter than 128 KiB.'
    : /(cannot|can't) fork|resource temporarily unavailable/i.test(text)
      ? 'Let the steps before it leave fewer processes behind, or raise pids_limit.'
      : 'Check that the image has a POSIX shell and that the variables are sound.';
  const message = `Failed to start the step in its container: ${oneLine(text)}. ${advice}`;
  return new ContainerError(message, cause === undefined ? undefined : { cause });
}

/** True for a stream that was cut or destroyed, by whomever. */
export function isCut(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return (
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    /inside a frame/.test(error.message)
  );
}
