import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { ContainerError, type ContainerSpec, type JobContainer } from '../target.ts';
import { DockerContainer } from './container.ts';
import { putFiles } from './container-files.ts';
import type { RegistryLogin } from './credential-helper.ts';
import { NEVER } from './deadline.ts';
import type { Engine } from './engine.ts';
import { EngineRefusedError, oneLine } from './errors.ts';
import { type Containment, hostConfig } from './host-config.ts';
import { checkImageName, findImage, type LocalImage } from './image.ts';
import { Keeper, KeeperGoneError } from './keeper.ts';
import { KEEPER_SCRIPT, ORPHAN_GRACE_SECONDS } from './keeper-script.ts';
import { isRoot } from './owner.ts';
import { pullImage } from './pull.ts';
import { removeContainer } from './removal.ts';
import type { Logger, SilenceLimits } from './step-context.ts';

/** Milliseconds; a loaded engine with a slow disk still makes it. */
const CREATE_MS = 120_000;

export interface PrepareOptions {
  readonly spec: ContainerSpec;
  readonly progress: (line: string) => Promise<void>;
  readonly signal: AbortSignal;
  readonly pullIdleMs: number;
  readonly pullRetryMs: number;
  readonly hostLogin: (registry: string, signal: AbortSignal) => Promise<RegistryLogin | undefined>;
  readonly stopMs: number;
  readonly silence: SilenceLimits;
  readonly containment: Containment;
  readonly logger: Logger;
}

/** Pulls the image, makes the container, puts the files in and starts it. Leaves nothing behind on failure or abort. */
export async function prepareContainer(engine: Engine, options: PrepareOptions): Promise<JobContainer> {
  const { spec, progress, signal, logger, stopMs } = options;
  checkImageName(spec.image);
  const image = await obtainImage(engine, options);
  await progress(`Image ${image.digest} (${image.platform}).`);
  // The name is ours from the start, so that a container whose creation was never answered can be removed too.
  // Not imported: loading it takes 7 ms, which an agent's start doesn't have.
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  const name = `pulumi-runner-${randomBytes(6).toString('hex')}`;
  let keeper: Keeper | undefined;
  try {
    const id = await create(engine, { name, image, spec, containment: options.containment });
    signal.throwIfAborted();
    await progress(`Created container ${name} (${id.slice(0, 12)}).`);
    keeper = new Keeper(await attach(engine, id, signal));
    await start(engine, { id, image, keeper, spec, signal });
    await progress(`Started container ${name}.`);
    return new DockerContainer({
      ...options,
      engine,
      id,
      imageDigest: image.digest,
      keeper,
      environmentFile: spec.environmentFile,
    });
  } catch (error) {
    // First error wins; what the removal says goes to the log.
    await removeContainer(engine, name, { ms: stopMs, signal: NEVER }).catch((left: unknown) =>
      logger('warning', String(left)),
    );
    keeper?.close();
    throw startError(error, image, keeper);
  }
}

async function obtainImage(
  engine: Engine,
  { spec, progress, signal, pullIdleMs, pullRetryMs, hostLogin }: PrepareOptions,
): Promise<LocalImage> {
  const { image, pull, credentials, platform } = spec;
  if (pull) {
    await progress(`Pulling image ${image}.`);
    const options = {
      image,
      idleMs: pullIdleMs,
      retryMs: pullRetryMs,
      hostLogin,
      ...(credentials === undefined ? {} : { credentials }),
      ...(platform === undefined ? {} : { platform }),
    };
    await pullImage(engine, options, progress, signal);
  }
  return findImage(engine, image, pull, signal);
}

/** Not aborted half-way: only an answer tells what is there to be removed. */
async function create(
  engine: Engine,
  {
    name,
    image,
    spec,
    containment,
  }: { name: string; image: LocalImage; spec: ContainerSpec; containment: Containment },
): Promise<string> {
  const body = {
    // The ID: a tag may have moved on since the image was looked at.
    Image: image.id,
    Entrypoint: ['sh', '-c', KEEPER_SCRIPT, spec.environmentFile, String(ORPHAN_GRACE_SECONDS)],
    Cmd: [],
    WorkingDir: '/',
    Labels: { ...spec.labels },
    OpenStdin: true,
    // The stdin ends with the agent's connection, and with it the container.
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    Healthcheck: { Test: ['NONE'] },
    HostConfig: hostConfig({ ...containment, network: 'bridge' }),
  };
  const query = { name, ...(spec.platform === undefined ? {} : { platform: spec.platform }) };
  const container = await engine.call(
    (docker, abortSignal) => {
      const options = { _query: query, _body: body, abortSignal };
      return docker.createContainer(options);
    },
    { signal: NEVER, ms: CREATE_MS },
  );
  return container.id;
}

async function attach(engine: Engine, id: string, signal: AbortSignal): Promise<Duplex> {
  // Without the call's signal: docker-modem would tie the stream's later life to it.
  const stream: NodeJS.ReadWriteStream = await engine.call(
    (docker: Docker) =>
      docker.getContainer(id).attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true }),
    { signal, late: (late) => (late as Duplex).destroy() },
  );
  return stream as Duplex;
}

async function start(
  engine: Engine,
  {
    id,
    image,
    keeper,
    spec: { files, whileStarting },
    signal,
  }: { id: string; image: LocalImage; keeper: Keeper; spec: ContainerSpec; signal: AbortSignal },
): Promise<void> {
  const { user } = image;
  // Unpacking an archive costs 40 ms on older engines. Where the main process is root, it writes the files itself, from its
  // stdin, which is filled before it starts; what it can't write comes as an archive after all.
  const byKeeper = isRoot(user);
  const answers = Promise.all(byKeeper ? files.map((file) => keeper.putFile(file, CREATE_MS, signal)) : []);
  // A start that fails is told by the start.
  answers.catch(() => undefined);
  if (!byKeeper) await putFiles(engine, id, { files, user, signal });
  // By then the request is on its way.
  if (whileStarting !== undefined) setImmediate(whileStarting);
  await engine.call((docker, abortSignal) => docker.getContainer(id).start({ abortSignal }), { signal, ms: CREATE_MS });
  await keeper.ready(CREATE_MS, signal);
  const written = await answers;
  await putFiles(engine, id, { files: files.filter((_, index) => written[index] === false), user, signal });
}

/** The sentence for a container that could not be made or started. */
function startError(error: unknown, image: LocalImage, keeper: Keeper | undefined): unknown {
  const refused = error instanceof EngineRefusedError;
  if (!refused && !(error instanceof KeeperGoneError)) return error;
  const cause = refused ? error.message : oneLine(keeper?.complaint || 'its main process ended at once');
  const message = `Failed to start a container for the job from ${image.digest}: ${cause}. ${startAdvice(cause, image)}`;
  return new ContainerError(message, { cause: error });
}

function startAdvice(cause: string, image: LocalImage): string {
  if (/exec format error/i.test(cause)) {
    return `The image is for ${image.platform} and the engine's host can't run that: use a runner of that platform, or install its emulator (binfmt).`;
  }
  if (/does not match the (specified|requested) platform|no matching manifest/i.test(cause)) {
    return 'Set pull_image: true, so that the image for the wanted platform is pulled, or use a runner pool of the platform that is there.';
  }
  if (/no such file or directory|executable file not found/i.test(cause)) {
    return 'The image must have a POSIX shell named sh in its PATH.';
  }
  if (/unable to find user|no matching entries in passwd/i.test(cause))
    return "Correct the USER of the image: it isn't in its /etc/passwd.";
  if (/no space left/i.test(cause)) return "Free disk space for the engine's containers.";
  return "See the engine's log.";
}
