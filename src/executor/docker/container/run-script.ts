import { within } from '../../../base/deadline.ts';
import { oneLine } from '../../foreign-text.ts';
import type { DockerEngine } from '../engine/engine.ts';
import { demux, STDOUT } from '../engine/streams.ts';

/** From the script's start to its end. */
const RUN_MS = 60_000;

/** The most that is read of a script's output. */
const OUTPUT_BYTES = 2 * 1024 ** 2;

const ENDED = 'ended\n';

/**
 * Ends a script. It waits for our line, as 2 s after an exec's end an engine cuts what is still on
 * its way.
 */
const END = '\necho ended >&2; read -r go';

/** Runs a script as the container's user. Returns its output, and its errors as a clause. */
export async function runScript(
  engine: DockerEngine,
  container: string,
  [script, ...rest]: readonly string[],
  signal: AbortSignal,
): Promise<{ output: Buffer; errors: string }> {
  const streams = { AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: false };
  const options = { Cmd: ['sh', '-c', `${script}${END}`, ...rest], WorkingDir: '/', ...streams };
  const exec = await engine.call((docker) => docker.getContainer(container).exec(options), { signal });
  const stream = await engine.takeOver(() => exec.start({ hijack: true, stdin: true, Tty: false }), {
    signal,
  });

  stream.on('error', () => undefined);

  const pieces: Buffer[] = [];
  let errors = '';
  let free = OUTPUT_BYTES;

  try {
    const reading = demux(stream, (channel, piece) => {
      free -= piece.length;
      // An image's own programs can print without end.
      if (free < 0) stream.destroy(new Error('the container printed more than it was asked for'));
      else if (channel === STDOUT) pieces.push(Buffer.from(piece));
      else errors += piece.toString('utf8');
      if (channel !== STDOUT && errors.endsWith(ENDED)) stream.write('\n');
    });

    await within(RUN_MS, signal, () => reading);
  } finally {
    stream.destroy();
  }

  const output = Buffer.concat(pieces);
  if (errors.endsWith(ENDED)) return { output, errors: oneLine(errors.slice(0, -ENDED.length)) };

  // The engine writes to the stdout why a process never began.
  return { output, errors: oneLine(`${errors} ${output.toString('utf8')}`) || 'its process was cut off' };
}
