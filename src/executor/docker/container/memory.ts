import { z } from 'zod';
import { workingSet } from '../../container/memory.ts';
import type { Engine } from '../engine/engine.ts';

/** On cgroup v1 the names without `total_` leave out what the container's own child groups use. */
const statsSchema = z.object({
  memory_stats: z.object({
    usage: z.number(),
    stats: z
      .object({ total_inactive_file: z.number() })
      .transform((stats) => stats.total_inactive_file)
      .or(z.object({ inactive_file: z.number() }).transform((stats) => stats.inactive_file)),
  }),
});

/** The container's working set in bytes; undefined where the engine doesn't tell it, as Podman doesn't. Throws as `Engine.call` does. */
export async function memoryOf(engine: Engine, container: string, signal: AbortSignal): Promise<number | undefined> {
  const stats: unknown = await engine.call(
    (docker, abortSignal) => {
      // One sample: an engine would wait a second for another one, to tell the processors' use.
      const request = { stream: false, 'one-shot': true, abortSignal } as const;
      return docker.getContainer(container).stats(request);
    },
    { signal },
  );
  return readStats(stats);
}

/** The working set in bytes by what the engine says of a container (Engine API, ContainerStats). */
export function readStats(stats: unknown): number | undefined {
  const memory = statsSchema.safeParse(stats).data?.memory_stats;
  return memory === undefined ? undefined : workingSet(memory.usage, memory.stats);
}
