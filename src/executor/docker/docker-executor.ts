import type { Environment } from '../../base/environment.ts';
import type { Executor, ExecutorFactory, Logger } from '../executor.ts';
import type { ContainerLimits } from './container/host-config.ts';
import { KEEP_ALIVE_MS, ORPHAN_GRACE_SECONDS } from './container/main-process.ts';
import { metadataBlock, type NetworkSettings } from './container/network.ts';
import { prepareContainer } from './container/prepare.ts';
import { sweepObjects } from './container/removal.ts';
import { overlappedRoutes } from './container/routes.ts';
import { dataDirectory } from './engine/data-directory.ts';
import { checkEngine, DockerEngine, probeEngine } from './engine/engine.ts';
import { confinedBy, engineInfo } from './engine/info.ts';
import { obtainImage, type PullSettings } from './image/image.ts';
import { hostLogin } from './image/registry-login.ts';

/** The settings for jobs' containers and their networks. */
export type Containment = ContainerLimits & NetworkSettings;

/** Only tests set the times. */
export interface DockerExecutorOptions {
  readonly environment: Environment;
  readonly logger?: Logger | undefined;
  readonly onSecret?: ((secret: string) => void) | undefined;
  readonly containment?: Containment | undefined;
  readonly stopMs?: number | undefined;
  readonly silenceMs?: number | undefined;
  readonly keepAliveMs?: number | undefined;
  readonly orphanGraceSeconds?: number | undefined;
  readonly pullIdleMs?: number | undefined;
  readonly pullRetryMs?: number | undefined;
}

/**
 * Runs jobs in containers of a Docker engine, one container per job. Nothing is opened before the
 * first call.
 */
export function createDockerExecutor(options: DockerExecutorOptions): Executor {
  const { environment, logger = () => undefined, onSecret = () => undefined, containment = {} } = options;

  // A pull can make no progress for 75 s over a truncated layer (Docker 20.10), and for 123 s over a
  // registry's 429 (Podman 4.3).
  const { stopMs = 30_000, silenceMs = 5_000, keepAliveMs = KEEP_ALIVE_MS } = options;
  const { pullIdleMs = 150_000, pullRetryMs = 2_000, orphanGraceSeconds = ORPHAN_GRACE_SECONDS } = options;
  const engine = new DockerEngine(environment);

  const pulls: PullSettings = {
    pullIdleMs,
    pullRetryMs,
    hostLogin: async (registry, signal) => {
      const login = await hostLogin(registry, environment, signal, (text) => logger('warning', text));
      if (login !== undefined) onSecret('password' in login ? login.password : login.identitytoken);
      return login;
    },
  };

  const times = { stopMs, silenceMs, keepAliveMs, orphanGraceSeconds };
  const closing = new AbortController();
  const { containerNetwork, containerSubnet } = containment;

  return {
    name: 'docker',
    check: (signal) => checkEngine(engine, signal, containment.containerRuntime),
    probe: (signal) => probeEngine(engine, signal),
    prepull: async (image, policy, signal) => {
      const either = AbortSignal.any([signal, closing.signal]);
      const spec = { image, pull: true, policy };
      const { digest, platform } = await obtainImage(engine, pulls, spec, async () => undefined, either);
      return `${digest} (${platform})`;
    },
    prepare: (spec, progress, signal) =>
      prepareContainer(engine, {
        spec,
        limits: containment,
        network: containment,
        pulls,
        times,
        progress,
        signal,
        logger,
      }),
    sweep: (labels, signal, options = {}) => sweepObjects(engine, labels, options, stopMs, signal),
    confinement: async (signal) => {
      const info = await engineInfo(engine, signal);
      const { confinement, warnings } = confinedBy(info, containment.containerRuntime ?? info.DefaultRuntime);
      const { warning } = await metadataBlock(engine, containment, signal);
      const isUnkept = containment.allowMetadata === false && warning !== undefined;
      return { confinement, warnings: isUnkept ? [...warnings, warning] : warnings };
    },
    dataDirectory: async (signal) => {
      // An engine reached over TCP can be on another machine, and so its folder.
      if (engine.endpoint.socketPath === undefined) return undefined;
      return dataDirectory(await engine.call((docker): Promise<unknown> => docker.info(), { signal }));
    },
    overlappedRoutes:
      containerSubnet === undefined || containerNetwork !== undefined
        ? undefined
        : (signal) => overlappedRoutes(engine, containerSubnet, signal),
    close: async () => {
      closing.abort(new Error('the executor is closed'));
      engine.close();
    },
  };
}

export const dockerExecutors: ExecutorFactory<'docker'> = {
  create: (config, { environment, logger, onSecret }) =>
    createDockerExecutor({ environment, logger, onSecret, containment: config }),
  place: async () => ({ target: 'docker' }),
  at: async (_, { environment, logger, onSecret }) => createDockerExecutor({ environment, logger, onSecret }),
};
