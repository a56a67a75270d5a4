import { setTimeout as sleep } from 'node:timers/promises';
import { NEVER } from '../../../base/clock.ts';
import { linesOf } from '../../clean-up.ts';
import { ContainerError, type Selection, type SweepOptions } from '../../executor.ts';
import type { DockerEngine, EngineCalls } from '../engine/engine.ts';
import { EngineRefusedError, refusedWith, textOf } from '../engine/errors.ts';

/** Between attempts to remove an object in use, and between listings of ending containers. */
const RETRY_MS = 200;

/** The least time for a removal to be answered. */
const ANSWER_MS = 1_000;

type Labels = Readonly<Record<string, string>>;
type Removable = 'container' | 'network';

/**
 * Removes a container with its anonymous volumes, or a network. True if it was there. Throws
 * ContainerError if it still is after `ms` milliseconds.
 */
export async function removeObject(
  engine: EngineCalls,
  kind: Removable,
  id: string,
  ms: number,
): Promise<boolean> {
  let isThere = false;
  for (const end = performance.now() + ms; ; await sleep(RETRY_MS)) {
    try {
      await engine.call(
        (docker, abortSignal) =>
          kind === 'container'
            ? docker.getContainer(id).remove({ force: true, v: true, abortSignal })
            : docker.getNetwork(id).remove({ abortSignal }),
        // Never aborted halfway: its own deadline bounds it.
        { signal: NEVER, ms: Math.max(ANSWER_MS, end - performance.now()) },
      );

      return true;
    } catch (error) {
      if (refusedWith(error, 404)) return isThere;

      // The engine is removing the container already, or a container is still leaving the network.
      isThere ||= refusedWith(error, 403, 409);

      const passing =
        !(error instanceof EngineRefusedError) || error.status >= 500 || refusedWith(error, 403, 409);
      if (passing && performance.now() + RETRY_MS < end) continue;

      const command = kind === 'container' ? 'docker rm -f' : 'docker network rm';
      throw new ContainerError(
        `Failed to remove ${kind} ${id} for the job: ${textOf(error)}. Remove it by hand: ${command} ${id}.`,
        { code: kind === 'container' ? 'PRA-CONTAINER-07' : 'PRA-CONTAINER-08', cause: error },
      );
    }
  }
}

/**
 * Removes a container and then the network made for it, even if the container stays. Throws as
 * `removeObject` does, the first failure.
 */
export async function removeWithNetwork(
  engine: EngineCalls,
  container: string,
  network: string | undefined,
  ms: number,
): Promise<void> {
  const [removed] = await Promise.allSettled([removeObject(engine, 'container', container, ms)]);
  // A network that is left takes one of the few address pools that an engine has.
  const [freed] = await Promise.allSettled([network && removeObject(engine, 'network', network, ms)]);
  if (removed.status === 'rejected') throw removed.reason;
  if (freed.status === 'rejected') throw freed.reason;
}

/** Waits until a container has ended, for at most `ms` milliseconds. Never throws. */
export async function untilEnded(engine: EngineCalls, id: string, ms: number): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(RETRY_MS)) {
    const call = { signal: NEVER, ms: Math.max(ANSWER_MS, end - performance.now()) };
    const inspect = engine.call((docker) => docker.getContainer(id).inspect(), call);
    const isRunning = await inspect.then(
      ({ State: state }) => state.Running,
      (error: unknown) => !refusedWith(error, 404),
    );
    if (!isRunning) return;
  }
}

/** An entry of the engine's list of containers or of networks. */
interface Listed {
  readonly Id: string;
  readonly Name?: string;
  readonly Names?: readonly string[];
  readonly State?: string;
  readonly Labels?: Labels | undefined;
}

/**
 * Removes every container and then every network that has all of `labels` and that `only` accepts.
 * Returns a line for each, and for each container that is left to its guard, which keeps its network.
 * Throws for empty `labels`, which everything has, and the first failure once all were tried.
 */
export async function sweepObjects(
  engine: DockerEngine,
  labels: Selection,
  { only = () => true, graceMs = 0, leavesRunning = false, skipGrace }: SweepOptions,
  stopMs: number,
  signal: AbortSignal,
): Promise<string[]> {
  if (Object.keys(labels).length === 0) throw new Error('a sweep requires labels');

  const filters = {
    label: Object.entries(labels).map(([key, value]) => (value === undefined ? key : `${key}=${value}`)),
  };

  const list = async (kind: Removable) => {
    const objects = await engine.call(
      (docker, abortSignal): Promise<Listed[]> =>
        kind === 'container'
          ? docker.listContainers({ all: true, filters, abortSignal })
          : docker.listNetworks({ filters, abortSignal }),
      { signal },
    );

    return objects.filter(({ Labels: own }) => only(own ?? {}));
  };

  const sweep = (kind: Removable, objects: readonly Listed[]) =>
    linesOf(
      objects.map(async (object) =>
        (await removeObject(engine, kind, object.Id, stopMs))
          ? `Removed ${kind} ${nameOf(object)} (${object.Id.slice(0, 12)}).`
          : undefined,
      ),
    );

  const containers = await afterGrace(() => list('container'), graceMs, skipGrace, signal);
  const running = skipGrace?.aborted || leavesRunning ? containers.filter(isRunning) : [];
  const [removed] = await Promise.allSettled([
    sweep(
      'container',
      containers.filter((container) => !running.includes(container)),
    ),
  ]);

  // Even if a container could not be removed: an engine can be at that for ever.
  const inUse = running.map(nameOf);
  const networks = (await list('network')).filter((network) => !inUse.includes(nameOf(network)));
  const [freed] = await Promise.allSettled([sweep('network', networks)]);
  if (removed.status === 'rejected') throw removed.reason;
  if (freed.status === 'rejected') throw freed.reason;

  const waiting = running.map(
    (container) =>
      `Container ${nameOf(container)} (${container.Id.slice(0, 12)}) still ends its step, and then itself.`,
  );
  return [...removed.value, ...freed.value, ...waiting];
}

/** The name of a container or network: a job's have the same. */
function nameOf({ Names: names, Name: name = names?.[0]?.slice(1) ?? '' }: Listed): string {
  return name;
}

/** Lists until nothing runs, the grace is over, or `skipGrace` aborts. */
async function afterGrace(
  list: () => Promise<Listed[]>,
  graceMs: number,
  skipGrace: AbortSignal | undefined,
  signal: AbortSignal,
): Promise<Listed[]> {
  const woken = AbortSignal.any([signal, ...(skipGrace === undefined ? [] : [skipGrace])]);
  for (const end = performance.now() + graceMs; ; ) {
    const objects = await list();
    if (!objects.some(isRunning) || skipGrace?.aborted || performance.now() >= end) return objects;
    await sleep(RETRY_MS, undefined, { signal: woken }).catch(() => signal.throwIfAborted());
  }
}

function isRunning({ State: state }: Listed): boolean {
  return state === 'running';
}
