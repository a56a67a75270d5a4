import { type CacheVolume, type ContainerSpec, ExecutorUnavailableError } from '../executor.ts';
import { packFolder } from './archive.ts';
import type { Engine } from './engine.ts';
import { refusedWith } from './errors.ts';
import type { VolumeMount } from './host-config.ts';
import type { Logger } from './step-context.ts';

/** Carried by volumes alone: what is swept with a run carries other labels. */
export const CACHE_LABEL = 'pulumi-runner.cache';
const ARCHIVE_MS = 60_000;
/** Everybody may write, nobody may remove what others wrote: images run as different users. */
const OPEN_TO_ALL = 0o1777;

export interface CacheOptions {
  readonly spec: ContainerSpec;
  readonly progress: (line: string) => Promise<void>;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/**
 * The volumes to mount for a job. A volume that is there must carry its owner's label, so that neither another pool's files nor the
 * host's own volumes get into a job. A job can do without its cache: what keeps it away is told, and no more.
 */
export async function cacheVolumes(
  engine: Engine,
  { spec, progress, signal, logger }: CacheOptions,
): Promise<readonly VolumeMount[]> {
  if (spec.cache === undefined) return [];
  const mount = await cacheMount(engine, spec.cache, spec, signal);
  if (typeof mount !== 'string') {
    await progress(`Volume ${mount.name} is at ${mount.path}.`);
    return [mount];
  }
  const told = `The job goes without its cache volume: ${mount}.`;
  logger('warning', told);
  await progress(told);
  return [];
}

async function cacheMount(
  engine: Engine,
  { name, path, owner }: CacheVolume,
  { files, environmentFile }: Pick<ContainerSpec, 'files' | 'environmentFile'>,
  signal: AbortSignal,
): Promise<VolumeMount | string> {
  const own = [...files.map((file) => file.path), environmentFile].find((file) => file.startsWith(`${path}/`));
  if (own !== undefined) return `${own} lies in ${path}, and would outlive the job`;
  try {
    let label = await labelOf(engine, name, signal);
    if (label === undefined) {
      // Looked at again: another agent may make one of that name at this moment, for another pool.
      const made = { Name: name, Labels: { [CACHE_LABEL]: owner } };
      await engine.call((docker, abortSignal) => docker.createVolume({ ...made, abortSignal }), { signal });
      label = await labelOf(engine, name, signal);
    }
    if (!label) return `volume ${name} was not made for jobs: it lacks the label ${CACHE_LABEL}=${owner}`;
    if (label !== owner) return `volume ${name} is for ${label}, and this agent serves ${owner}`;
  } catch (error) {
    if (error instanceof ExecutorUnavailableError || signal.aborted) throw error;
    return `volume ${name} can't be had: ${String(error)}`;
  }
  return { name, path, labels: { [CACHE_LABEL]: owner } };
}

/** Whose the volume is, empty when it is nobody's; undefined when there is none. Throws as `Engine.call` does. */
async function labelOf(engine: Engine, name: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { Labels: labels } = await engine.call((docker) => docker.getVolume(name).inspect(), { signal });
    // Null where there is none.
    return (labels as Record<string, string> | null)?.[CACHE_LABEL] ?? '';
  } catch (error) {
    if (refusedWith(error, 404)) return undefined;
    throw error;
  }
}

/** Lets any user of the container write to the volume: the engine makes it root's, unless the image has the folder. */
export async function openToAll(
  engine: Engine,
  container: string,
  { path }: Pick<CacheVolume, 'path'>,
  signal: AbortSignal,
): Promise<void> {
  const archive = await packFolder(path, OPEN_TO_ALL);
  await engine.call(
    (docker, abortSignal) => docker.getContainer(container).putArchive(archive, { path: '/', abortSignal }),
    { signal, ms: ARCHIVE_MS },
  );
}
