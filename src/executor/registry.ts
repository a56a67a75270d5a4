import type { AgentConfig } from '../config/agent-config.ts';
import { readVolume } from '../config/keys/jobs.ts';
import { defined } from '../defined.ts';
import type { Place } from '../record/schema.ts';
import { dockerKind } from './docker/docker-executor.ts';
import type { ContainerSettings, Executor } from './executor.ts';
import { imagePolicy } from './image-policy.ts';
import type { DoctorChecks, ExecutorKind, ExecutorSources } from './kind.ts';

export type { ExecutorSources } from './kind.ts';

type DeployTarget = AgentConfig['deployTarget'];
type PlaceAt<T extends DeployTarget> = Extract<Place, { readonly target: T }>;

interface Entry<T extends DeployTarget> {
  readonly doctor: DoctorChecks;
  load(): ExecutorKind<PlaceAt<T>> | Promise<ExecutorKind<PlaceAt<T>>>;
}

/** Every place where jobs can run. */
export const EXECUTORS: { readonly [T in DeployTarget]: Entry<T> } = {
  docker: {
    load: () => dockerKind,
    doctor: {
      title: 'Docker',
      container: 'Container',
      checkMs: 15_000,
      // A pull that makes progress goes on; the executor ends one that stalls.
      containerMs: (_, isPulled) => (isPulled ? 30 * 60_000 : 120_000),
      trialOf: (config) => config,
    },
  },
  kubernetes: {
    // By itself, since the Kubernetes client takes 9 MB of an agent's memory.
    load: async () => (await import('./kubernetes/entry.ts')).kubernetesKind,
    doctor: {
      title: 'Kubernetes',
      container: 'Pod',
      // A template is merged there, and the kubeconfig's program for credentials may take its time.
      checkMs: 30_000,
      containerMs: ({ podStartTimeoutMs }) => podStartTimeoutMs + 60_000,
      trialOf: (config, isNamed) => ({ ...config, debugPod: false, ...(!isNamed && { imagePullPolicy: 'Never' }) }),
    },
  },
};

/** The place where the configuration has jobs run. */
export async function executorFor(config: AgentConfig, sources: ExecutorSources): Promise<Executor> {
  return (await EXECUTORS[config.deployTarget].load()).create(config, sources);
}

/** Where the configuration has jobs run, for a later sweep; undefined where that isn't known. Never throws. */
export async function placeOf(
  config: AgentConfig,
  environment: ExecutorSources['environment'],
): Promise<Place | undefined> {
  try {
    return await (await EXECUTORS[config.deployTarget].load()).place(config, environment);
  } catch {
    return undefined;
  }
}

/** The place itself, to sweep there. Throws ExecutorUnavailableError when what led there leads elsewhere now, or nowhere. */
export async function executorAt<T extends DeployTarget>(
  place: PlaceAt<T> & { readonly target: T },
  sources: ExecutorSources,
): Promise<Executor> {
  return (await EXECUTORS[place.target].load()).at(place, sources);
}

/** What the configuration says of every job's container. */
export function containerSettings(config: AgentConfig): ContainerSettings {
  const { allowedImages, requireDigest, cacheVolume, organizationName, runnerPoolId } = config;
  // One pool's jobs may trust each other's files, another's may not. A static token doesn't say which pool it is for.
  const isKnown = organizationName !== undefined && runnerPoolId !== undefined;
  const pool = isKnown ? `${organizationName}/${runnerPoolId}` : 'static-token';
  return defined({
    policy: imagePolicy({ allowed: allowedImages, requireDigest }),
    cache: cacheVolume === undefined ? undefined : { ...readVolume(cacheVolume), pool },
  });
}
