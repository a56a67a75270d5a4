import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { NEVER } from '../deadline.ts';
import type { ContainerSpec, JobContainer } from '../executor.ts';
import { cacheVolumes, openToAll } from './cache-volume.ts';
import { DockerContainer } from './container.ts';
import { putFiles } from './container-files.ts';
import { CREATE_MS, createContainer } from './create-container.ts';
import type { Engine } from './engine.ts';
import type { Containment } from './host-config.ts';
import type { LocalImage } from './image.ts';
import { type JobNetwork, openJobNetwork } from './job-network.ts';
import { Keeper } from './keeper.ts';
import { unkeptLimits } from './limits.ts';
import { allowedName, obtainImage, type PullSettings } from './obtain-image.ts';
import { isRoot } from './owner.ts';
import { removeContainer } from './removal.ts';
import { startError } from './start-failure.ts';
import type { Logger, SilenceLimits } from './step-context.ts';

export interface PrepareOptions extends PullSettings {
  readonly spec: ContainerSpec;
  readonly progress: (line: string) => Promise<void>;
  readonly signal: AbortSignal;
  readonly stopMs: number;
  readonly silence: SilenceLimits;
  readonly containment: Containment;
  readonly logger: Logger;
}

/** Pulls the image, makes the container, puts the files in and starts it. Leaves nothing behind on failure or abort. */
export async function prepareContainer(engine: Engine, options: PrepareOptions): Promise<JobContainer> {
  const { spec, progress, signal, stopMs, containment } = options;
  allowedName(spec.image, spec.policy);
  signal.throwIfAborted();
  // The name is ours from the start, so that a container whose creation was never answered can be removed too.
  const name = `pulumi-runner-${randomBytes(6).toString('hex')}`;
  const network = await openJobNetwork(engine, name, spec, containment);
  let image: LocalImage | undefined;
  let keeper: Keeper | undefined;
  try {
    image = await obtainImage(engine, spec, options, progress, signal);
    await progress(`Image ${image.digest} (${image.platform}).`);
    const volumes = await cacheVolumes(engine, options);
    const { name: mode, blocked } = network;
    const settings = { ...containment, name, image, spec, volumes, network: mode, linkLocalAddresses: blocked };
    const { id, warnings } = await createContainer(engine, settings);
    signal.throwIfAborted();
    await progress(`Created container ${name} (${id.slice(0, 12)}).`);
    for (const warning of warnings) await progress(`The engine warns: ${warning}.`);
    for (const line of await unkeptLimits(engine, containment, signal)) await progress(line);
    keeper = new Keeper(await attach(engine, id, signal));
    // Root writes anyway.
    if (!isRoot(image.user)) for (const volume of volumes) await openToAll(engine, id, volume, signal);
    await network.ready;
    await start(engine, { id, image, keeper, spec, signal });
    const open = await network.warning();
    if (open !== undefined) await progress(open);
    await progress(`Started container ${name}.`);
    return new DockerContainer({
      ...options,
      engine,
      id,
      imageDigest: image.digest,
      keeper,
      network,
      environmentFile: spec.environmentFile,
    });
  } catch (error) {
    await clear(engine, { name, network, ms: stopMs, logger: options.logger });
    keeper?.close();
    throw image === undefined ? error : startError(error, image, keeper);
  }
}

/** First error wins; what the removal says goes to the log. */
async function clear(
  engine: Engine,
  { name, network, ms, logger }: { name: string; network: JobNetwork; ms: number; logger: Logger },
): Promise<void> {
  try {
    await removeContainer(engine, name, { ms, signal: NEVER });
    await network.remove(ms);
  } catch (left) {
    logger('warning', String(left));
  }
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
