import type { Executor } from '../executor.ts';
import { checkEngine } from './check.ts';
import { dataDirectory } from './data-directory.ts';
import { Engine } from './engine.ts';
import type { Containment } from './host-config.ts';
import { prepullImage } from './obtain-image.ts';
import { prepareContainer } from './prepare.ts';
import { Prepulls } from './prepulls.ts';
import { hostLogin } from './registry-login.ts';
import type { Logger } from './step-context.ts';
import { sweepObjects } from './sweep.ts';

export interface DockerExecutorOptions {
  /** Where DOCKER_HOST, DOCKER_TLS_VERIFY, DOCKER_CERT_PATH and HOME are read from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger?: Logger;
  /** Milliseconds that the removal of a container may take; 30 s when absent. */
  readonly stopTimeoutMs?: number;
  /** Milliseconds without progress after which a pull is given up; 120 s when absent. A truncated layer takes an engine 75 s. */
  readonly pullIdleTimeoutMs?: number;
  /** Milliseconds before a pull that failed for a passing reason is tried again, doubled from try to try; 2 s when absent. */
  readonly pullRetryMs?: number;
  /** Told every secret that the host's Docker configuration gives, so that no log shows it. */
  readonly onSecret?: (secret: string) => void;
  /**
   * Milliseconds that the output of a step may be silent after its end before the rest is given up, and before its end until
   * the engine is asked how it stands; 5 s when absent.
   */
  readonly silenceMs?: number;
  /** What containers may use; the defaults of Containment when absent. */
  readonly containment?: Containment;
}

/** Runs jobs in containers of a Docker engine, one container per job. Nothing is opened before the first call. */
export function createDockerExecutor(options: DockerExecutorOptions): Executor {
  const {
    environment,
    logger = () => undefined,
    stopTimeoutMs: stopMs = 30_000,
    pullIdleTimeoutMs: pullIdleMs = 120_000,
    pullRetryMs = 2_000,
    onSecret = () => undefined,
    containment = {},
  } = options;
  const { silenceMs: idleMs = 5_000 } = options;
  const silence = { idleMs, totalMs: 6 * idleMs, awayMs: 12 * idleMs };
  const engine = new Engine(environment);
  const login = async (registry: string, signal: AbortSignal) => {
    const found = await hostLogin(registry, { environment, signal, onTrouble: (text) => logger('warning', text) });
    if (found !== undefined) onSecret('password' in found ? found.password : found.identitytoken);
    return found;
  };
  const prepulls = new Prepulls();
  const pulls = { pullIdleMs, pullRetryMs, hostLogin: login, prepulls };
  return {
    name: 'docker',
    check: (signal) => checkEngine(engine, signal),
    prepull: (image, policy, signal) =>
      prepullImage(engine, { image, ...(policy === undefined ? {} : { policy }) }, pulls, signal),
    prepare: (spec, progress, signal) =>
      prepareContainer(engine, { spec, progress, signal, ...pulls, stopMs, silence, containment, logger }),
    sweep: (labels, signal, how) => sweepObjects(engine, labels, { ...how, ms: stopMs, signal }),
    dataDirectory: (signal) => dataDirectory(engine, signal),
    close: async () => {
      prepulls.endOthers();
      engine.close();
    },
  };
}
