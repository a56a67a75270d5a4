import { setTimeout as sleep } from 'node:timers/promises';
import { DeadlineError, within } from '../../deadline.ts';
import { ContainerError } from '../../executor.ts';
import { executorError, refusedWith } from '../errors.ts';
import { PodLostError } from '../exec/control-channel.ts';
import { ExecStream, type StreamEnd } from '../exec/exec-stream.ts';
import { isAlive } from '../pod/status.ts';
import type { StepContext } from './step.ts';

/** The environment file is refused beyond this. */
const LIMIT = 1024 ** 2;
/** Milliseconds for one try; a file of the limit's size takes a part of one second. */
const READ_MS = 20_000;
/** Tries that may fail although the API server is there: what is a file when it is looked at may be a FIFO when it is opened. */
const TRIES = 3;
const RETRY_MS = 1_000;
/** Opens nothing but a regular file, and reads no more of it than is taken. */
const READ_SCRIPT = `[ -e "$1" ] || exit 0; [ -f "$1" ] || exit 3; head -c ${LIMIT + 1} "$1"`;

/** Reads the environment file in the pod; empty where there is none. Throws ContainerError for what is no file of up to 1 MiB, PodLostError. */
export async function readEnvironmentFile(context: StepContext, signal: AbortSignal): Promise<string> {
  const { cluster, pod, control, environmentFile: path } = context;
  const over = AbortSignal.any([signal, control.lost]);
  const failed = (why: string) =>
    new ContainerError(`Failed to read the environment file for the next step: ${path}: ${why}`, {
      code: 'PRA-CONTAINER-06',
    });
  for (let failures = 0; failures < TRIES; ) {
    const pieces: Buffer[] = [];
    const read = async (inner: AbortSignal): Promise<StreamEnd> => {
      const script = { code: READ_SCRIPT, words: [path] };
      const onOutput = (piece: Buffer) => void pieces.push(piece);
      const stream = await ExecStream.open({ cluster, pod, script, onOutput, onError: () => undefined, signal: inner });
      inner.addEventListener('abort', () => stream.close(), { once: true });
      return stream.end;
    };
    const end = await within(READ_MS, over, read).catch((cut: unknown): StreamEnd => ({ cut }));
    signal.throwIfAborted();
    if ('exitCode' in end) {
      const text = Buffer.concat(pieces);
      if (end.exitCode === 3) throw failed('it is not a regular file. Only append lines to it.');
      if (end.exitCode === 0 && text.length > LIMIT) throw failed('it has more than 1 MiB. Keep it under 1 MiB.');
      if (end.exitCode === 0) return text.toString('utf8');
    } else if (refusedWith(end.cut, 403)) throw executorError(end.cut, 'read the environment file');
    if (control.lost.aborted || !(await isAlive(cluster, pod).catch(() => true)))
      throw new PodLostError('the pod is gone');
    if ('exitCode' in end || end.cut instanceof DeadlineError) failures += 1;
    await sleep(RETRY_MS, undefined, { signal: over }).catch(() => undefined);
  }
  throw failed('it can not be read to its end. Only append lines to it, and let no process change it after its step.');
}
