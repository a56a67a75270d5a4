import type { Engine } from './engine.ts';
import type { Containment } from './host-config.ts';

/** What an engine says of itself (`GET /info`) that decides whether it keeps a limit; absent where it doesn't know. */
interface Abilities {
  readonly MemoryLimit?: boolean;
  readonly CpuCfsQuota?: boolean;
  readonly PidsLimit?: boolean;
}

/**
 * A line for each limit that somebody asked for and the engine would drop without a word: rootless Docker on cgroup v1 takes a limit,
 * keeps none and warns of none. Asks the engine only when there is one. Throws as `Engine.call` does.
 */
export async function unkeptLimits(
  engine: Engine,
  { memoryBytes, cpus, pidsLimit }: Containment,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (memoryBytes === undefined && cpus === undefined && pidsLimit === undefined) return [];
  const able = await engine.call((docker): Promise<Abilities> => docker.info(), { signal });
  const unkept = [
    ...(memoryBytes !== undefined && able.MemoryLimit === false ? ['memory'] : []),
    ...(cpus !== undefined && able.CpuCfsQuota === false ? ['num_cpus'] : []),
    ...(pidsLimit !== undefined && able.PidsLimit === false ? ['pids_limit'] : []),
  ];
  return unkept.map(
    (key) =>
      `Warning: this engine keeps no limit of that kind, so ${key} has no effect. Rootless engines need cgroup v2 for it.`,
  );
}
