import { type FileFlags, loadAgentConfig } from '../agent/configuration.ts';
import { sweepOrphans } from '../agent/orphans.ts';
import type { ProcessContext } from '../base/config/config-file.ts';
import { defined } from '../base/defined.ts';
import type { Owner } from '../base/owner.ts';
import { isAlive, ORPHAN_GRACE_MS } from '../base/owner.ts';
import type { Executor } from '../executor/executor.ts';
import { ownerLabels } from '../executor/owner-labels.ts';
import { executorAt, executorFor } from '../executor/targets.ts';
import { endOrphanedContainers } from '../pulumi-agent/job-containers.ts';
import { readEvents } from '../record/reader.ts';
import type { CommandSources } from './command-line.ts';

/** Time for the removal. */
const SWEEP_MS = 60_000;

/**
 * Removes what a run's agent left, in the place that it recorded, else the configured one. Returns
 * the exit code.
 */
export async function sweep({ command, process, ...surroundings }: CommandSources<'sweep'>): Promise<number> {
  const { runDirectory, graceMs = ORPHAN_GRACE_MS } = command;
  const { owner, place, containers } = await tracesOf(runDirectory);

  if (containers.length > 0 && owner !== undefined && !isAlive(owner))
    for (const line of await endOrphanedContainers(surroundings.environment, containers, graceMs))
      process.stdout.write(`${line}\n`);

  const executor = await (place === undefined
    ? configuredExecutor(command, surroundings)
    : executorAt(place, surroundings));
  try {
    for (const line of await sweepAfter(owner, executor, graceMs)) process.stdout.write(`${line}\n`);
  } finally {
    await executor.close();
  }

  return 0;
}

function configuredExecutor({ file, search }: FileFlags, surroundings: ProcessContext): Promise<Executor> {
  const flags = { ...defined({ file, search }), defaults: {}, overrides: {}, labels: {} };
  return executorFor(loadAgentConfig(flags, surroundings, { purpose: 'offline' }).config, surroundings);
}

/**
 * Removes what the agent `owner` and other provably dead agents of this machine left, found by
 * their labels, and nothing of a living agent. Waits up to `graceMs` milliseconds in all for
 * containers to end a step by themselves. One that still runs by then is left to its guard, unless
 * it is `owner`'s and had the guard's time. Returns one line per object. Throws what the executor
 * throws.
 */
export async function sweepAfter(
  owner: Owner | undefined,
  executor: Executor,
  graceMs: number,
): Promise<string[]> {
  const signal = AbortSignal.timeout(SWEEP_MS + graceMs);
  const skipGrace = AbortSignal.timeout(graceMs);

  // In turn: side by side, both would report the objects that both see.
  const own =
    owner === undefined || isAlive(owner)
      ? []
      : await executor.sweep(ownerLabels(owner), signal, {
          graceMs,
          leavesRunning: graceMs < ORPHAN_GRACE_MS,
        });

  const how = { signal, graceMs: ORPHAN_GRACE_MS, skipGrace };

  return [...own, ...(await sweepOrphans(executor, how))];
}

/**
 * The facts that a run recorded about its owner, the place of its objects, and the containers of
 * Pulumi's agent, which have none of our labels. Throws what node:fs throws.
 */
export async function tracesOf(runDirectory: string) {
  const events = await readEvents(runDirectory);
  const containers = events.filter((event) => event.type === 'container');
  return {
    owner: events.find((event) => event.type === 'agent-started')?.owner,
    place: events.find((event) => event.type === 'place')?.place,
    containers: containers.map(({ id, name }) => ({ id, name })),
  };
}
