import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { NEVER } from '../../../base/clock.ts';
import { defined } from '../../../base/defined.ts';
import { ContainerError, type ContainerSpec, type JobContainer, type Logger } from '../../executor.ts';
import { oneLine } from '../../one-line.ts';
import type { DockerEngine } from '../engine/engine.ts';
import { EngineRefusedError } from '../engine/errors.ts';
import { confinedBy, engineInfo, isPlain } from '../engine/info.ts';
import { type LocalImage, obtainImage, type PullSettings } from '../image/image.ts';
import { cacheVolume } from './cache-volume.ts';
import { DockerContainer, type DockerContainerOptions } from './container.ts';
import { putFiles } from './files.ts';
import { type Containment, containerBody, unkeptLimits } from './host-config.ts';
import { checkConfined, putFilesEarly, readCreated } from './inside.ts';
import { ContainerEndedError, MainProcess } from './main-process.ts';
import { makeNetwork, metadataBlock } from './network.ts';
import { removeWithNetwork } from './removal.ts';
import { isOfImage, isTakenAway, startAdvice } from './start-advice.ts';

const PRUNED =
  'Something removed it, such as docker system prune: keep clean-ups off the label pulumi-runner.run.';

/** Milliseconds; enough for a loaded engine with a slow disk. */
const CREATE_MS = 120_000;

interface DockerPrepareOptions {
  readonly spec: ContainerSpec;
  readonly progress: (line: string) => Promise<void>;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly stopMs: DockerContainerOptions['stopMs'];
  readonly silenceMs: DockerContainerOptions['silenceMs'];
  readonly keepAliveMs: DockerContainerOptions['keepAliveMs'];
  readonly orphanGraceSeconds: DockerContainerOptions['orphanGraceSeconds'];
  readonly pulls: PullSettings;
  readonly containment: Containment;
}

/**
 * Pulls the image, creates and starts the container, and puts files in. Leaves nothing behind on
 * failure or abort.
 */
export async function prepareContainer(
  engine: DockerEngine,
  options: DockerPrepareOptions,
): Promise<JobContainer> {
  const { spec, progress, signal, stopMs, containment, pulls, logger } = options;
  signal.throwIfAborted();

  const image = await obtainImage(engine, pulls, spec, progress, signal);
  await progress(`Image ${image.digest} (${image.platform}).`);

  // We choose the name, so that a container can be removed even if its creation was never answered.
  const name = `pulumi-runner-${randomBytes(6).toString('hex')}`;
  const ownNetwork = containment.containerNetwork === undefined ? name : undefined;
  let mainProcess: MainProcess | undefined;

  try {
    if (ownNetwork !== undefined) await makeNetwork(engine, ownNetwork, spec.labels, containment, signal);
    const metadata = await metadataBlock(engine, containment, signal);
    signal.throwIfAborted();

    const volume = await cacheVolume(engine, spec, progress, logger, signal);
    const info = await engineInfo(engine, signal);

    const body = containerBody(spec, image.id, options.orphanGraceSeconds, {
      ...containment,
      runtime: containment.containerRuntime ?? info.DefaultRuntime,
      ...defined({ volume }),
      network: containment.containerNetwork ?? name,
      linkLocalAddresses: metadata.blocked,
    });

    // docker-modem's form for parameters in the URL and in the body.
    const request = { _query: { name, ...defined({ platform: spec.platform }) }, _body: body };

    // Never aborted halfway: only an answer says what there is to remove.
    const { id } = await engine.call(
      (docker, abortSignal) => docker.createContainer({ ...request, abortSignal }),
      {
        signal: NEVER,
        ms: CREATE_MS,
      },
    );

    signal.throwIfAborted();
    await progress(`Created container ${name} (${id.slice(0, 12)}).`);

    const { runtime, user: imageUser } = await readCreated(engine, id, containment, signal);
    const { confinement, warnings } = confinedBy(info, runtime);

    await progress(`Confined by ${[runtime, ...confinement.engine].join(', ')}.`);
    for (const line of [...unkeptLimits(info, containment), ...warnings]) await progress(line);

    const isOpaque = !isPlain(runtime);
    const { files } = spec;
    const folders = volume === undefined ? [] : [volume.path];

    if (isOpaque) await putFilesEarly(engine, id, { files, openFolders: folders, user: imageUser, signal });
    mainProcess = new MainProcess(await attach(engine, id, signal), options.keepAliveMs);

    await engine.call((docker, abortSignal) => docker.getContainer(id).start({ abortSignal }), {
      signal,
      ms: CREATE_MS,
    });

    const user = await mainProcess.ready(CREATE_MS, signal);

    // The engine gives a volume to root unless the image has its folder; root can write to it
    // anyway.
    const openFolders = user.uid === 0 ? [] : folders;

    if (!isOpaque) await putFiles(engine, id, { files, openFolders, ...user, signal });
    else await checkConfined(engine, id, { runtime, given: body.HostConfig?.CapAdd?.length ?? 0, signal });

    if (metadata.warning !== undefined) {
      await progress(metadata.warning);
      if (containment.allowMetadata === false) warnings.push(metadata.warning);
    }

    await progress(`Started container ${name}.`);

    const { environmentFile } = spec;
    const { digest: imageDigest } = image;
    const seen = { imageDigest, confinement, warnings, isOpaque };

    return new DockerContainer({ ...options, ...seen, engine, id, mainProcess, ownNetwork, environmentFile });
  } catch (error) {
    // The first error wins; one from the removal only goes to the log.
    try {
      await removeWithNetwork(engine, name, ownNetwork, stopMs);
    } catch (left) {
      logger('warning', String(left));
    }

    mainProcess?.close();
    throw startError(error, image, { output: mainProcess?.output, isPulled: spec.pull, ownNetwork });
  }
}

function attach(engine: DockerEngine, id: string, signal: AbortSignal): Promise<Duplex> {
  // Without the call's signal: docker-modem would tie the stream to it for good.
  return engine.takeOver(
    (docker) =>
      docker.getContainer(id).attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true }),
    { signal },
  );
}

/** The error for a container that could not be created or started. */
function startError(error: unknown, image: LocalImage, { output, ...seen }: Attempt): unknown {
  const refused = error instanceof EngineRefusedError;
  if (!refused && !(error instanceof ContainerEndedError)) return error;
  const mayPass = isTakenAway(error, seen.ownNetwork);
  const cause = refused ? error.message : oneLine(output || 'its main process ended at once');
  const advice = mayPass ? PRUNED : startAdvice(cause, { platform: image.platform, ...seen });
  const message = `Failed to start a container for the job from ${image.digest}: ${cause}. ${advice}`;
  const fault = !refused || isOfImage(cause) ? 'deployment' : 'executor';
  return new ContainerError(message, { code: 'PRA-CONTAINER-01', cause: error, fault, mayPass });
}

/** What is known of a container that did not start. */
interface Attempt {
  /** The output of its main process. */
  readonly output: string | undefined;
  readonly isPulled: boolean;
  readonly ownNetwork: string | undefined;
}
