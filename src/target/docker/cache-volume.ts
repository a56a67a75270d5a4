import { type CacheVolume, type ContainerSpec, TargetUnavailableError } from '../target.ts';
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
    const { Labels: labels } = await engine.call((docker) => docker.getVolume(name).inspect(), { signal });
    // Null where there is none.
    const label = (labels as Record<string, string> | null)?.[CACHE_LABEL];
    if (label === undefined) return `volume ${name} was not made for jobs: it lacks the label ${CACHE_LABEL}=${owner}`;
    if (label !== owner) return `volume ${name} is for ${label}, and this agent serves ${owner}`;
  } catch (error) {
    if (error instanceof TargetUnavailableError || signal.aborted) throw error;
    // The engine makes it with the container.
    if (!refusedWith(error, 404)) return `volume ${name} can't be looked at: ${String(error)}`;
  }
  return { name, path, labels: { [CACHE_LABEL]: owner } };
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
