import { NEVER } from './deadline.ts';
import type { Engine } from './engine.ts';
import { removeContainer } from './removal.ts';

/**
 * Removes every container, running or not, that carries all of `labels`. Returns a line per container that it removed; one that
 * is gone already has none. Throws for an empty set of labels, which everything would carry, and the first failure once all
 * were tried.
 */
export async function sweepContainers(
  engine: Engine,
  labels: Readonly<Record<string, string>>,
  { ms, signal }: { ms: number; signal: AbortSignal },
): Promise<string[]> {
  const label = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  if (label.length === 0) throw new Error('a sweep needs labels');
  const found = await engine.call(
    (docker, abortSignal) => docker.listContainers({ all: true, filters: { label }, abortSignal }),
    { signal },
  );
  const results = await Promise.allSettled(
    found.map(async ({ Id: id, Names: names }) => {
      // Begun removals are finished: their own deadline bounds them.
      const removed = await removeContainer(engine, id, { ms, signal: NEVER });
      return removed ? [`Removed container ${names[0]?.slice(1) ?? ''} (${id.slice(0, 12)}).`] : [];
    }),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}
