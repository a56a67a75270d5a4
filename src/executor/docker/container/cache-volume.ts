import {
  type CacheVolume,
  type ContainerSpec,
  ExecutorUnavailableError,
  type Logger,
} from '../../executor.ts';
import type { DockerEngine } from '../engine/engine.ts';

/** Only volumes have this label: the objects of a sweep have others. */
export const CACHE_LABEL = 'pulumi-runner.cache';

/**
 * The volume to mount for a job. One without its pool's label is never mounted, and a warning says
 * why.
 */
export async function cacheVolume(
  engine: DockerEngine,
  spec: ContainerSpec,
  progress: (line: string) => Promise<void>,
  logger: Logger,
  signal: AbortSignal,
): Promise<CacheVolume | undefined> {
  if (spec.cache === undefined) return undefined;

  const problem = await problemOf(engine, spec.cache, spec, signal);
  const { name, path } = spec.cache;

  if (problem === undefined) {
    await progress(`Volume ${name} is at ${path}.`);
    return spec.cache;
  }

  const warning = `The job runs without its cache volume: ${problem}.`;
  logger('warning', warning);
  await progress(warning);

  return undefined;
}

/** Why the job can't have the volume, as a clause. Creates the volume if it is missing. */
async function problemOf(
  engine: DockerEngine,
  { name, path, pool }: CacheVolume,
  { files, environmentFile }: ContainerSpec,
  signal: AbortSignal,
): Promise<string | undefined> {
  const jobFile = [...files.map((file) => file.path), environmentFile].find((file) =>
    file.startsWith(`${path}/`),
  );
  if (jobFile !== undefined) return `${jobFile} is in ${path}, and would outlive the job`;

  try {
    // An engine leaves an existing volume of that name alone; its labels then say which pool it is
    // for.
    const volume = { Name: name, Labels: { [CACHE_LABEL]: pool } };
    await engine.call((docker, abortSignal) => docker.createVolume({ ...volume, abortSignal }), { signal });

    const { Labels: labels } = await engine.call((docker) => docker.getVolume(name).inspect(), { signal });

    // Null if there are no labels.
    const label = (labels as Record<string, string> | null)?.[CACHE_LABEL];
    if (!label) return `volume ${name} was not made for jobs: it lacks the label ${CACHE_LABEL}=${pool}`;

    return label === pool ? undefined : `volume ${name} is for ${label}, and this agent serves ${pool}`;
  } catch (error) {
    if (error instanceof ExecutorUnavailableError || signal.aborted) throw error;
    return `volume ${name} is not available: ${String(error)}`;
  }
}
