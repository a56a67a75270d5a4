import { setTimeout as sleep } from 'node:timers/promises';
import { DeadlineError, within } from '../deadline.ts';
import { ContainerError } from '../executor.ts';
import { Channel, type ChannelEnd } from './channel.ts';
import { ControlLostError } from './control.ts';
import { refusedWith, targetError } from './errors.ts';
import type { PodContext } from './step-context.ts';

/** The environment file is refused beyond this. */
const LIMIT = 1024 ** 2;
/** Milliseconds for one try; a file of the limit's size takes a part of one second. */
const READ_MS = 20_000;
/** Tries that may take longer than that: what is a file when it is looked at may be a FIFO when it is opened. */
const SLOW_TRIES = 2;
const RETRY_MS = 1_000;

/**
 * Reads the environment file in the pod, over as many streams as it takes for as long as the pod is there. Throws ContainerError for
 * what is no file of up to 1 MiB, ControlLostError when the pod is gone, the signal's reason when it aborts.
 */
export async function readEnvironmentFile(context: PodContext, signal: AbortSignal): Promise<string> {
  const { control, environmentFile: path } = context;
  const over = AbortSignal.any([signal, control.lost]);
  const failed = (cause: string, advice: string) =>
    new ContainerError(`Failed to read the environment file for the next step: ${path}: ${cause}. ${advice}`);
  for (let slow = 0; ; ) {
    const { end, text } = await tried(context, over);
    signal.throwIfAborted();
    if ('exitCode' in end) {
      if (end.exitCode === 3) throw failed('it is not a regular file', 'Only append lines to it.');
      if (end.exitCode === 0 && text.length > LIMIT) throw failed('it has more than 1 MiB', 'Keep it under 1 MiB.');
      if (end.exitCode === 0) return text.toString('utf8');
    } else if (refusedWith(end.cut, 403)) throw targetError(end.cut, 'read the environment file');
    // Neither may a command that ended without success have read it all: something in the container killed it, perhaps.
    if (control.lost.aborted || !(await context.isAlive().catch(() => true)))
      throw new ControlLostError('the pod is gone');
    if ('exitCode' in end || end.cut instanceof DeadlineError) slow += 1;
    if (slow > SLOW_TRIES)
      throw failed(
        'it can not be read to its end',
        'Only append lines to it, and let no process change it after its step.',
      );
    await sleep(RETRY_MS, undefined, { signal: over }).catch(() => undefined);
  }
}

/** One try. Only a regular file is opened, and no more of it is read than is taken. */
async function tried(
  { cluster, pod, container, environmentFile }: PodContext,
  signal: AbortSignal,
): Promise<{ end: ChannelEnd; text: Buffer }> {
  const pieces: Buffer[] = [];
  let channel: Channel | undefined;
  try {
    const end = await within(READ_MS, signal, async (inner) => {
      channel = await Channel.open({
        cluster,
        pod,
        container,
        script: { code: `[ -f "$1" ] || exit 3; head -c ${LIMIT + 1} "$1"`, words: [environmentFile] },
        onOutput: (piece) => void pieces.push(piece),
        onError: () => undefined,
        signal: inner,
      });
      return channel.end;
    });
    return { end, text: Buffer.concat(pieces) };
  } catch (cut) {
    return { end: { cut }, text: Buffer.alloc(0) };
  } finally {
    channel?.close();
  }
}
