/**
 * Checks of every created container, and file access under runtimes that hide files from the
 * engine.
 */
import { within } from '../../../base/deadline.ts';
import { ContainerError } from '../../executor.ts';
import { oneLine } from '../../one-line.ts';
import { demux, STDOUT } from '../engine/beyond-dockerode.ts';
import type { DockerCalls } from '../engine/calls.ts';
import type { DockerEngine } from '../engine/engine.ts';
import {
  ARCHIVE_MS,
  type Contents,
  ENVIRONMENT_BYTES,
  putFiles,
  readEnvironmentFile,
  unreadable,
} from './files.ts';
import type { Containment } from './host-config.ts';

/** The engine's own word on a container that it has created. */
interface Created {
  readonly runtime: string;
  /** The user of its image: a name or number, perhaps with a group; empty for root. */
  readonly user: string;
}

/**
 * Reads back what the engine created. Throws ContainerError if the runtime isn't the configured
 * one.
 */
export async function readCreated(
  engine: DockerCalls,
  container: string,
  { containerRuntime: wanted }: Containment,
  signal: AbortSignal,
): Promise<Created> {
  const inspected = await engine.call((docker) => docker.getContainer(container).inspect(), { signal });
  const runtime = inspected.HostConfig.Runtime || 'runc';
  if (wanted === undefined || runtime === wanted) return { runtime, user: inspected.Config.User };
  throw unconfined(`the engine made its container with the runtime ${runtime}, not with ${wanted}`);
}

/** The error for a job whose container isn't as requested. */
function unconfined(cause: string): ContainerError {
  const advice = 'Correct the runtime on the engine, or set container_runtime to another.';
  return new ContainerError(`Failed to confine the job: ${cause}. ${advice}`, { code: 'PRA-CONTAINER-09' });
}

/**
 * Puts files into a container that has not started, for its image's user, whose number the image's
 * files tell.
 */
export async function putFilesEarly(
  engine: DockerEngine,
  container: string,
  { user, ...put }: Contents & { readonly user: string },
): Promise<void> {
  const [name = '', group = ''] = user.split(':');

  const entry = async (path: string, field: number, text: string) => {
    const lines = (await readEnvironmentFile(engine, container, path, put.signal)).split('\n');
    return lines.map((line) => line.split(':')).find((fields) => fields[field] === text);
  };

  const isNumber = (text: string) => /^\d+$/.test(text);
  const account = await entry('/etc/passwd', isNumber(name) ? 2 : 0, name || 'root');
  const uid = isNumber(name) ? name : account?.[2];
  const gid =
    group === '' ? account?.[3] : isNumber(group) ? group : (await entry('/etc/group', 0, group))?.[2];

  await putFiles(engine, container, { ...put, uid: Number(uid ?? 0), gid: Number(gid ?? 0) });
}

const STATUS_SCRIPT = `
while read -r key value rest; do
  case $key in CapBnd: | NoNewPrivs:) echo "$key$value" ;; esac
done </proc/self/status`;

/**
 * Checks that no process in a running container can have more capabilities than it was `given`, or
 * gain privileges. Throws ContainerError.
 */
export async function checkConfined(
  engine: DockerEngine,
  container: string,
  { runtime, given, signal }: { runtime: string; given: number; signal: AbortSignal },
): Promise<void> {
  const { output } = await runInside(engine, container, [STATUS_SCRIPT], signal);
  const [, mask = 'f'.repeat(16)] = /^CapBnd:([0-9a-f]+)$/m.exec(output.toString()) ?? [];
  const held = BigInt(`0x${mask}`).toString(2).replaceAll('0', '').length;

  if (held > given)
    throw unconfined(
      `under the runtime ${runtime} its root has ${held} capabilities, where ${given} were given`,
    );

  if (/^NoNewPrivs:0$/m.test(output.toString()))
    throw unconfined(`under the runtime ${runtime} its processes can gain privileges`);
}

const READ_SCRIPT = `
if [ -f "$0" ]; then head -c ${ENVIRONMENT_BYTES + 1} "$0"; elif [ -e "$0" ]; then echo 'it is not a regular file' >&2; fi`;

/** As `readEnvironmentFile`, through a process of the container's user. */
export async function readEnvironmentFileInside(
  engine: DockerEngine,
  container: string,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const { output, errors } = await runInside(engine, container, [READ_SCRIPT, path], signal);
  if (errors !== '') throw unreadable(path, errors, 'Only append lines to it.');
  if (output.length > ENVIRONMENT_BYTES)
    throw unreadable(path, 'it has more than 1 MiB', 'Keep it under 1 MiB.');
  return output.toString('utf8');
}

const ENDED = 'ended\n';

/**
 * Ends a script. It waits for our line, as 2 s after an exec's end an engine cuts what is still on
 * its way.
 */
const END = '\necho ended >&2; read -r go';

/** Runs a script as the container's user. Returns its output, and its errors as a clause. */
async function runInside(
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
  let left = 2 * ENVIRONMENT_BYTES;

  try {
    const reading = demux(stream, (channel, piece) => {
      left -= piece.length;
      // An image's own programs can print without end.
      if (left < 0) stream.destroy(new Error('the container printed more than it was asked for'));
      else if (channel === STDOUT) pieces.push(Buffer.from(piece));
      else errors += piece.toString('utf8');
      if (channel !== STDOUT && errors.endsWith(ENDED)) stream.write('\n');
    });

    await within(ARCHIVE_MS, signal, () => reading);
  } finally {
    stream.destroy();
  }

  const output = Buffer.concat(pieces);
  if (errors.endsWith(ENDED)) return { output, errors: oneLine(errors.slice(0, -ENDED.length)) };

  // The engine writes to the stdout why a process never began.
  return { output, errors: oneLine(`${errors} ${output.toString('utf8')}`) || 'its process was cut off' };
}
