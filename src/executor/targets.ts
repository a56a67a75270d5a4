import type { AgentConfig } from '../base/config/agent-config.ts';
import { readVolume } from '../base/config/keys/jobs.ts';
import type { Environment } from '../base/environment.ts';
import type { Place } from '../record/schema.ts';
import { dockerExecutors } from './docker/docker-executor.ts';
import type {
  ContainerSettings,
  DeployTarget,
  Executor,
  ExecutorFactory,
  ExecutorSources,
  PlaceAt,
} from './executor.ts';
import { imagePolicy } from './image-policy.ts';

interface DoctorChecks {
  /** The check's title; in lower case, its ID. */
  readonly title: string;
  /** The name of a job's container there. */
  readonly container: string;
  /** Milliseconds to check whether jobs can run there. */
  readonly checkMs: number;
  /** Milliseconds for a container, from its pull to its removal. */
  containerMs(config: AgentConfig, isPulled: boolean): number;

  /**
   * Configuration for a trial container that leaves nothing behind, and pulls nothing unless the
   * image `isNamed`.
   */
  trialOf(config: AgentConfig, isNamed: boolean): AgentConfig;
}

export const EXECUTORS: {
  readonly [T in DeployTarget]: {
    readonly doctor: DoctorChecks;
    load(): ExecutorFactory<T> | Promise<ExecutorFactory<T>>;
  };
} = {
  docker: {
    load: () => dockerExecutors,
    doctor: {
      title: 'Docker',
      container: 'Container',
      checkMs: 15_000,
      // A pull can go on while it makes progress; the executor ends one that stalls.
      containerMs: (_, isPulled) => (isPulled ? 30 * 60_000 : 120_000),
      trialOf: (config) => config,
    },
  },
  kubernetes: {
    // Loaded on demand: the Kubernetes client takes 9 MB of an agent's memory.
    load: async () => (await import('./kubernetes/kubernetes-executor.ts')).kubernetesExecutors,
    doctor: {
      title: 'Kubernetes',
      container: 'Pod',
      // A template is merged there, and the kubeconfig's credential program can be slow.
      checkMs: 30_000,
      containerMs: ({ podStartTimeoutMs }) => podStartTimeoutMs + 60_000,
      trialOf: (config, isNamed) => ({
        ...config,
        debugPod: false,
        ...(!isNamed && { imagePullPolicy: 'Never' }),
      }),
    },
  },
};

/** The executor for the place where the configuration has jobs run. */
export async function executorFor(config: AgentConfig, sources: ExecutorSources): Promise<Executor> {
  return (await EXECUTORS[config.deployTarget].load()).create(config, sources);
}

/** The configured place of jobs, for a later sweep; undefined if unknown. Never throws. */
export async function placeOf(config: AgentConfig, environment: Environment): Promise<Place | undefined> {
  try {
    return await (await EXECUTORS[config.deployTarget].load()).place(config, environment);
  } catch {
    return undefined;
  }
}

/**
 * An executor to sweep `place`. Throws ExecutorUnavailableError if its configuration leads
 * elsewhere or nowhere.
 */
export async function executorAt<T extends DeployTarget>(
  place: PlaceAt<T> & { readonly target: T },
  sources: ExecutorSources,
): Promise<Executor> {
  return (await EXECUTORS[place.target].load()).at(place, sources);
}

/** The configuration's settings for every job's container. */
export function containerSettings(config: AgentConfig): ContainerSettings {
  const { cacheVolume, organizationName, runnerPoolId } = config;

  // Jobs may trust only files from their own pool. A static token doesn't say which pool it is for.
  const isPool = organizationName !== undefined && runnerPoolId !== undefined;
  const pool = isPool ? `${organizationName}/${runnerPoolId}` : 'static-token';

  return {
    policy: imagePolicy(config),
    cache: cacheVolume === undefined ? undefined : { ...readVolume(cacheVolume), pool },
  };
}
