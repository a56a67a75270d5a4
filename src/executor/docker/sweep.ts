import { setTimeout as sleep } from 'node:timers/promises';
import { linesOf } from '../all-tried.ts';
import { NEVER } from '../deadline.ts';
import { ContainerError, type SweepOptions } from '../executor.ts';
import type { Engine } from './engine.ts';
import { refusedWith } from './errors.ts';
import { removeNetwork } from './network.ts';
import { removeContainer } from './removal.ts';

/** Milliseconds between two looks at containers that are ending by themselves. */
const LOOK_MS = 250;

type Labels = Readonly<Record<string, string>>;

interface Found {
  readonly id: string;
  readonly name: string;
  readonly running: boolean;
}

export interface SweepLimits extends SweepOptions {
  /** Milliseconds that the removal of one object may take. */
  readonly ms: number;
  readonly signal: AbortSignal;
}

/**
 * Removes every container, running or not, and then every network that carries all of `labels` and that `only` takes. Returns
 * a line per object that it removed; one that is gone already has none. Throws for an empty set of labels, which everything
 * would carry, and the first failure once all were tried.
 */
export async function sweepObjects(engine: Engine, labels: Labels, limits: SweepLimits): Promise<string[]> {
  const label = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  if (label.length === 0) throw new Error('a sweep needs labels');
  const { only = () => true, graceMs = 0, ms, signal } = limits;
  const containers = await afterGrace(() => listContainers(engine, label, only, signal), graceMs, limits);
  const lines = await linesOf(
    containers.map(async ({ id, name }) => {
      // Begun removals are finished: their own deadline bounds them.
      const removed = await removeContainer(engine, id, { ms, signal: NEVER });
      return removed ? `Removed container ${name} (${id.slice(0, 12)}).` : undefined;
    }),
  );
  const networks = await listNetworks(engine, label, only, signal);
  const more = await linesOf(
    networks.map(async ({ id, name }) => {
      const removed = await removeUnused(engine, id, limits);
      return removed ? `Removed network ${name} (${id.slice(0, 12)}).` : undefined;
    }),
  );
  return [...lines, ...more];
}

/**
 * Looks until nothing runs any more or the grace is over: a container without its agent interrupts what runs and ends by
 * itself. Where `hurry` aborts meanwhile, what runs is left to that.
 */
async function afterGrace(
  look: () => Promise<Found[]>,
  graceMs: number,
  { hurry, signal }: SweepLimits,
): Promise<Found[]> {
  const end = performance.now() + graceMs;
  for (;;) {
    const found = await look();
    if (graceMs === 0 || !found.some(({ running }) => running)) return found;
    if (hurry?.aborted) return found.filter(({ running }) => !running);
    if (performance.now() >= end) return found;
    const woken = AbortSignal.any([signal, ...(hurry === undefined ? [] : [hurry])]);
    await sleep(LOOK_MS, undefined, { signal: woken }).catch(() => signal.throwIfAborted());
  }
}

async function listContainers(
  engine: Engine,
  label: readonly string[],
  only: (labels: Labels) => boolean,
  signal: AbortSignal,
): Promise<Found[]> {
  const listed = await engine.call(
    (docker, abortSignal) => docker.listContainers({ all: true, filters: { label: [...label] }, abortSignal }),
    { signal },
  );
  return listed
    .filter(({ Labels: labels }) => only(labels))
    .map(({ Id: id, Names: names, State: state }) => ({
      id,
      name: names[0]?.slice(1) ?? '',
      running: state === 'running',
    }));
}

async function listNetworks(
  engine: Engine,
  label: readonly string[],
  only: (labels: Labels) => boolean,
  signal: AbortSignal,
): Promise<Found[]> {
  const listed = await engine.call(
    (docker, abortSignal) => docker.listNetworks({ filters: { label: [...label] }, abortSignal }),
    { signal },
  );
  return listed
    .filter(({ Labels: labels }) => only(labels ?? {}))
    .map(({ Id: id, Name: name }) => ({ id, name, running: false }));
}

/** True when it was there. In a hurry, one that a container is on is left with its container. */
async function removeUnused(engine: Engine, id: string, { hurry, ms }: SweepLimits): Promise<boolean> {
  const hurried = hurry?.aborted === true;
  try {
    return await removeNetwork(engine, id, { ms: hurried ? 0 : ms });
  } catch (error) {
    if (hurried && error instanceof ContainerError && refusedWith(error.cause, 403, 409)) return false;
    throw error;
  }
}
