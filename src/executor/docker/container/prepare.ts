import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { NEVER } from '../../../base/clock.ts';
import { DeadlineError } from '../../../base/deadline.ts';
import { defined } from '../../../base/defined.ts';
import { firstFailure } from '../../clean-up.ts';
import {
  type CacheVolume,
  type ConfinementReport,
  ContainerError,
  type ContainerSpec,
  type JobContainer,
  type Logger,
} from '../../executor.ts';
import { oneLine } from '../../foreign-text.ts';
import type { DockerEngine } from '../engine/engine.ts';
import { EngineRefusedError } from '../engine/errors.ts';
import { confinedBy, type EngineInfo, engineInfo, isPlain } from '../engine/info.ts';
import { type LocalImage, obtainImage, type PullSettings } from '../image/image.ts';
import { cacheVolume } from './cache-volume.ts';
import { checkConfined, readCreated } from './confinement.ts';
import { type ContainerTimes, DockerContainer } from './container.ts';
import { lossAtStart } from './ending.ts';
import { type FileOwner, putFiles, putFilesBeforeStart } from './files.ts';
import { type ContainerLimits, containerBody, unkeptLimits } from './host-config.ts';
import { ContainerEndedError, MainProcess } from './main-process.ts';
import { makeNetwork, metadataBlock, type NetworkSettings } from './network.ts';
import { removeObject } from './removal.ts';
import { isOfHost, isOfImage, isTakenAway, startAdvice } from './start-advice.ts';

const PRUNED =
  'Something removed it, such as docker system prune: keep clean-ups off the label pulumi-runner.run.';

/** Enough for a loaded engine with a slow disk. */
const CREATE_MS = 120_000;

export interface DockerPrepareOptions {
  readonly spec: ContainerSpec;
  readonly limits: ContainerLimits;
  readonly network: NetworkSettings;
  readonly pulls: PullSettings;
  readonly times: ContainerTimes;
  readonly progress: (line: string) => Promise<void>;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/**
 * Pulls the image, creates and starts the container, and puts files in. Leaves nothing behind on
 * failure or abort.
 */
export async function prepareContainer(
  engine: DockerEngine,
  options: DockerPrepareOptions,
): Promise<JobContainer> {
  const { spec, pulls, progress, signal } = options;
  signal.throwIfAborted();
  const image = await obtainImage(engine, pulls, spec, progress, signal);
  await progress(`Image ${image.digest} (${image.platform}).`);
  return await new Preparation(engine, image, options).run();
}

/** A container that was created and not yet started. */
interface CreatedContainer {
  readonly id: string;
  readonly runtime: string;
  /** The user of its image, as in `readCreated`. */
  readonly imageUser: string;
  /** The capabilities that it was given. */
  readonly capabilities: number;
  /** The folders that its user must be able to write to. */
  readonly folders: readonly string[];
}

/** The stages from an image to a running container. If one fails, the remains of those before it are removed. */
class Preparation {
  /** Also the container's: we choose it, so that a container can be removed even if its creation was never answered. */
  readonly #name = `pulumi-runner-${randomBytes(6).toString('hex')}`;
  readonly #engine: DockerEngine;
  readonly #image: LocalImage;
  readonly #options: DockerPrepareOptions;
  /** The network that is made for the container. */
  readonly #ownNetwork: string | undefined;
  readonly #undo = new AsyncDisposableStack();
  /** Closed after the container's removal: its main process takes the end of its stdin for the agent's death. */
  readonly #connection = this.#undo.use(new DisposableStack());
  #mainProcess: MainProcess | undefined;

  constructor(engine: DockerEngine, image: LocalImage, options: DockerPrepareOptions) {
    this.#engine = engine;
    this.#image = image;
    this.#options = options;
    this.#ownNetwork = options.network.containerNetwork === undefined ? this.#name : undefined;
  }

  async run(): Promise<DockerContainer> {
    const { spec, times, logger, signal, network } = this.#options;
    try {
      await this.#makeNetwork();
      const metadata = await metadataBlock(this.#engine, network, signal);
      signal.throwIfAborted();

      const volume = await cacheVolume(this.#engine, spec, this.#options.progress, logger, signal);
      const info = await engineInfo(this.#engine, signal);
      const created = await this.#create(info, volume, metadata.blocked);
      const { confinement, warnings } = await this.#reportConfinement(info, created);
      const mainProcess = await this.#start(created);
      const openMetadata = await this.#reportOpenMetadata(metadata.warning);
      await this.#options.progress(`Started container ${this.#name}.`);

      return new DockerContainer({
        engine: this.#engine,
        id: created.id,
        mainProcess,
        imageDigest: this.#image.digest,
        environmentFile: spec.environmentFile,
        confinement,
        warnings: [...warnings, ...openMetadata],
        isOpaque: !isPlain(created.runtime),
        ownNetwork: this.#ownNetwork,
        times,
        logger,
      });
    } catch (error) {
      // The first error wins; one from the removal only goes to the log.
      await this.#undo.disposeAsync().catch((failure) => logger('warning', String(firstFailure(failure))));
      throw this.#startError(error);
    }
  }

  async #makeNetwork(): Promise<void> {
    const { spec, network, times, signal } = this.#options;
    const name = this.#ownNetwork;
    if (name === undefined) return;
    this.#undo.defer(async () => {
      await removeObject(this.#engine, 'network', name, times.stopMs);
    });
    await makeNetwork(this.#engine, name, spec.labels, network, signal);
  }

  async #create(
    info: EngineInfo,
    volume: CacheVolume | undefined,
    linkLocalAddresses: readonly string[],
  ): Promise<CreatedContainer> {
    const { spec, limits, network, times, progress, signal } = this.#options;
    const name = this.#name;
    const body = containerBody({
      image: this.#image.id,
      labels: spec.labels,
      environmentFile: spec.environmentFile,
      orphanGraceSeconds: times.orphanGraceSeconds,
      limits,
      runtime: limits.containerRuntime ?? info.DefaultRuntime,
      network: network.containerNetwork ?? name,
      linkLocalAddresses,
      volume,
    });

    // docker-modem's form for parameters in the URL and in the body.
    const request = { _query: { name, ...defined({ platform: spec.platform }) }, _body: body };

    this.#undo.defer(async () => {
      await removeObject(this.#engine, 'container', name, times.stopMs);
    });
    // Never aborted halfway: only an answer says whether there is something to remove.
    const { id } = await this.#engine.call(
      (docker, abortSignal) => docker.createContainer({ ...request, abortSignal }),
      { signal: NEVER, ms: CREATE_MS },
    );

    signal.throwIfAborted();
    await progress(`Created container ${name} (${id.slice(0, 12)}).`);

    const { runtime, user } = await readCreated(this.#engine, id, limits.containerRuntime, signal);
    const capabilities = body.HostConfig?.CapAdd?.length ?? 0;
    return { id, runtime, imageUser: user, capabilities, folders: volume === undefined ? [] : [volume.path] };
  }

  /** The confinement that the engine reports, which goes to the job's log too. */
  async #reportConfinement(info: EngineInfo, { runtime }: CreatedContainer): Promise<ConfinementReport> {
    const { limits, progress } = this.#options;
    const report = confinedBy(info, runtime);
    await progress(`Confined by ${[runtime, ...report.confinement.engine].join(', ')}.`);
    for (const line of [...unkeptLimits(info, limits), ...report.warnings]) await progress(line);
    return report;
  }

  /** Starts the container with its files in it, and checks its confinement where the engine can't vouch for that. */
  async #start(created: CreatedContainer): Promise<MainProcess> {
    const { spec, times, signal } = this.#options;
    const { files } = spec;
    const { id, runtime, imageUser, capabilities, folders } = created;
    const engine = this.#engine;
    const isOpaque = !isPlain(runtime);
    const contents = { files, openFolders: folders };

    if (isOpaque) await putFilesBeforeStart(engine, id, contents, imageUser, signal);
    const mainProcess = new MainProcess(await attach(engine, id, signal), times.keepAliveMs);
    this.#mainProcess = this.#connection.adopt(mainProcess, () => mainProcess.close());

    await engine.call((docker, abortSignal) => docker.getContainer(id).start({ abortSignal }), {
      signal,
      ms: CREATE_MS,
    });

    const user = await this.#ready(id, mainProcess);

    if (isOpaque) {
      await checkConfined(engine, id, { runtime, capabilities, signal });
    } else {
      // The engine gives a volume to root unless the image has its folder; root can write to it
      // anyway.
      const openFolders = user.uid === 0 ? [] : folders;
      await putFiles(engine, id, { files, openFolders }, user, signal);
    }

    return mainProcess;
  }

  /**
   * The container's user, once the main process accepts commands. Throws ContainerError for a container that was lost
   * or is too slow, ContainerEndedError for a main process that ended by itself.
   */
  async #ready(id: string, mainProcess: MainProcess): Promise<FileOwner> {
    try {
      return await mainProcess.ready(CREATE_MS, this.#options.signal);
    } catch (error) {
      if (error instanceof DeadlineError) {
        const why = `its main process gave ${error.message}. Check the load of the engine's host, and the engine's log.`;
        throw this.#failure(why, { cause: error, mayPass: true });
      }
      const loss =
        error instanceof ContainerEndedError ? await lossAtStart(this.#engine, id, mainProcess) : undefined;
      throw loss === undefined ? error : this.#failure(loss.join('. '), { cause: error, mayPass: true });
    }
  }

  /** The warnings of metadata services that aren't blocked, which the job's log has in any case. */
  async #reportOpenMetadata(warning: string | undefined): Promise<readonly string[]> {
    if (warning === undefined) return [];
    await this.#options.progress(warning);
    return this.#options.network.allowMetadata === false ? [warning] : [];
  }

  /** The error for a container that could not be created or started. */
  #startError(error: unknown): unknown {
    const refused = error instanceof EngineRefusedError;
    if (!refused && !(error instanceof ContainerEndedError)) return error;

    const { platform } = this.#image;
    const ownNetwork = this.#ownNetwork;
    const isPruned = isTakenAway(error, ownNetwork);
    const cause = refused
      ? error.message
      : oneLine(this.#mainProcess?.output || 'its main process ended at once');
    const subject = { platform, isPulled: this.#options.spec.pull, ownNetwork };
    const advice = isPruned ? PRUNED : startAdvice(cause, subject);
    // A main process that ended by itself is of the image, unless its words are about the host. A trial can't take them as proof.
    const isOfHosts = !refused && isOfHost(cause);
    const isExecutors = !isOfImage(cause) && (refused || isOfHosts);
    const fault = isExecutors ? 'executor' : 'deployment';
    return this.#failure(`${cause}. ${advice}`, { cause: error, fault, mayPass: isPruned || isOfHosts });
  }

  #failure(
    why: string,
    options: Omit<ConstructorParameters<typeof ContainerError>[1], 'code'>,
  ): ContainerError {
    const message = `Failed to start a container for the job from ${this.#image.digest}: ${why}`;
    return new ContainerError(message, { code: 'PRA-CONTAINER-01', ...options });
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
