import type { AgentConfig } from '../../config/agent-config.ts';
import { createDockerTarget } from '../../target/docker/docker-target.ts';
import type { Target } from '../../target/target.ts';
import { type TargetSources, targetFor } from '../target-choice.ts';

/** Milliseconds for a container on an engine, and on a cluster beyond the time that the pod has to start. */
const START_MS = 120_000;
const USE_MS = 60_000;

export interface Trial {
  readonly target: Target;
  /** Milliseconds that a container may take from start to removal. */
  readonly startMs: number;
}

/** The place where a run would have its jobs, to be tried with one container; Docker while there is no configuration. */
export async function trialTarget(
  config: AgentConfig | undefined,
  { pull, ...sources }: TargetSources & { readonly pull?: string },
): Promise<Trial> {
  if (config === undefined) return { target: createDockerTarget(sources), startMs: START_MS };
  if (config.deployTarget !== 'kubernetes') return { target: await targetFor(config, sources), startMs: START_MS };
  const isNamed = pull !== undefined || config.image !== undefined;
  // Nothing stays of doctor, and no node pulls an image that nobody named.
  const tried: AgentConfig = { ...config, debugPod: false, ...(isNamed ? {} : { imagePullPolicy: 'Never' }) };
  return { target: await targetFor(tried, sources), startMs: config.podStartTimeoutMs + USE_MS };
}
