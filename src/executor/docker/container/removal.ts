import { setTimeout as sleep } from 'node:timers/promises';
import { linesOf } from '../../all-tried.ts';
import { NEVER } from '../../deadline.ts';
import { ContainerError, type SweepOptions } from '../../executor.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineRefusedError, refusedWith, textOf } from '../engine/errors.ts';

/** Milliseconds between two tries to remove what the engine isn't done with, and between two listings of what is ending. */
const RETRY_MS = 200;
/** The least that a removal gets to be answered. */
const ANSWER_MS = 1_000;

type Labels = Readonly<Record<string, string>>;
type Kind = 'container' | 'network';

/** Removes a container with its anonymous volumes, or a network. True when it was there. Throws ContainerError when it still is after `ms` milliseconds. */
export async function removeObject(engine: Pick<Engine, 'call'>, kind: Kind, id: string, ms: number): Promise<boolean> {
  let isThere = false;
  for (const end = performance.now() + ms; ; await sleep(RETRY_MS)) {
    try {
      await engine.call(
        (docker, abortSignal) =>
          kind === 'container'
            ? docker.getContainer(id).remove({ force: true, v: true, abortSignal })
            : docker.getNetwork(id).remove({ abortSignal }),
        // Not aborted half-way: its own deadline bounds it.
        { signal: NEVER, ms: Math.max(ANSWER_MS, end - performance.now()) },
      );
      return true;
    } catch (error) {
      if (refusedWith(error, 404)) return isThere;
      // The engine is removing the container already, or a container is still leaving the network.
      isThere ||= refusedWith(error, 403, 409);
      const passing = !(error instanceof EngineRefusedError) || error.status >= 500 || refusedWith(error, 403, 409);
      if (passing && performance.now() + RETRY_MS < end) continue;
      const command = kind === 'container' ? 'docker rm -f' : 'docker network rm';
      throw new ContainerError(
        `Failed to remove ${kind} ${id} for the job: ${textOf(error)}. Remove it by hand: ${command} ${id}.`,
        { code: kind === 'container' ? 'PRA-CONTAINER-07' : 'PRA-CONTAINER-08', cause: error },
      );
    }
  }
}

export interface SweepLimits extends SweepOptions {
  /** Milliseconds that the removal of one object may take. */
  readonly ms: number;
  readonly signal: AbortSignal;
}

/** What the engine lists, of containers and of networks. */
interface Listed {
  readonly Id: string;
  readonly Name?: string;
  readonly Names?: readonly string[];
  readonly State?: string;
  readonly Labels?: Labels | undefined;
}

interface Found {
  readonly id: string;
  readonly name: string;
  readonly running: boolean;
}

/** Removes every container and then every network that carries all of `labels` and that `only` takes. Returns a line for each. Throws for no labels, which everything would carry, and the first failure once all were tried. */
export async function sweepObjects(engine: Engine, labels: Labels, limits: SweepLimits): Promise<string[]> {
  const label = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  if (label.length === 0) throw new Error('a sweep needs labels');
  const containers = await afterGrace(() => list(engine, 'container', label, limits), limits);
  const lines = await linesOf(containers.map((found) => sweepObject(engine, 'container', found, limits)));
  const networks = await list(engine, 'network', label, limits);
  return [...lines, ...(await linesOf(networks.map((found) => sweepObject(engine, 'network', found, limits))))];
}

/** Lists until nothing runs any more or the grace is over. Where `hurry` aborts meanwhile, what runs is left to end by itself. */
async function afterGrace(
  listed: () => Promise<Found[]>,
  { graceMs = 0, hurry, signal }: SweepLimits,
): Promise<Found[]> {
  const end = performance.now() + graceMs;
  for (;;) {
    const found = await listed();
    if (graceMs === 0 || !found.some(({ running }) => running)) return found;
    if (hurry?.aborted) return found.filter(({ running }) => !running);
    if (performance.now() >= end) return found;
    const woken = AbortSignal.any([signal, ...(hurry === undefined ? [] : [hurry])]);
    await sleep(RETRY_MS, undefined, { signal: woken }).catch(() => signal.throwIfAborted());
  }
}

async function list(
  engine: Engine,
  kind: Kind,
  label: readonly string[],
  { only = () => true, signal }: SweepLimits,
): Promise<Found[]> {
  const filters = { label: [...label] };
  const listed = await engine.call(
    (docker, abortSignal): Promise<Listed[]> =>
      kind === 'container'
        ? docker.listContainers({ all: true, filters, abortSignal })
        : docker.listNetworks({ filters, abortSignal }),
    { signal },
  );
  return listed
    .filter(({ Labels: labels }) => only(labels ?? {}))
    .map(({ Id: id, Names: names, Name: name = names?.[0]?.slice(1) ?? '', State: state }) => ({
      id,
      name,
      running: state === 'running',
    }));
}

/** The line for an object that was removed. In a hurry, a network that a container is on is left with its container. */
async function sweepObject(
  engine: Engine,
  kind: Kind,
  { id, name }: Found,
  { hurry, ms }: SweepLimits,
): Promise<string | undefined> {
  const hurried = kind === 'network' && hurry?.aborted === true;
  try {
    const removed = await removeObject(engine, kind, id, hurried ? 0 : ms);
    return removed ? `Removed ${kind} ${name} (${id.slice(0, 12)}).` : undefined;
  } catch (error) {
    if (hurried && error instanceof ContainerError && refusedWith(error.cause, 403, 409)) return undefined;
    throw error;
  }
}
