import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../outcome.ts';
import { NEVER } from '../deadline.ts';
import { oneLine } from '../one-line.ts';
import { ContainerError, type SweepOptions } from '../target.ts';
import type { Cluster } from './cluster.ts';
import { refusedWith } from './errors.ts';
import { readPod } from './look.ts';
import { deleteObject, KINDS, type Kind, listObjects } from './objects.ts';
import { KEPT } from './pod.ts';

/** Milliseconds between two looks whether a pod is gone. */
const LOOK_MS = 200;

/** Deletes a pod and waits until it is gone. False when there was none. Throws ContainerError when it is still there after `ms`. */
export async function removePod(
  cluster: Cluster,
  name: string,
  { ms, graceSeconds }: { ms: number; graceSeconds: number },
): Promise<boolean> {
  const end = performance.now() + ms;
  let failure: unknown;
  let found = true;
  do {
    try {
      found = await deleteObject(cluster, { kind: 'pods', name, graceSeconds, signal: NEVER });
      if (!found || (await isGoneBefore(cluster, name, end))) return found;
    } catch (error) {
      failure = error;
      if (refusedWith(error, 401, 403)) break;
      await sleep(LOOK_MS * 5);
    }
  } while (performance.now() < end);
  const namespace = await cluster.namespace();
  throw new ContainerError(
    `Failed to remove pod ${name} for the job: ${failure === undefined ? 'it does not end' : oneLine(messageOf(failure))}. Remove it by hand: kubectl delete pod ${name} -n ${namespace}.`,
    { cause: failure },
  );
}

async function isGoneBefore(cluster: Cluster, name: string, end: number): Promise<boolean> {
  while (performance.now() < end) {
    try {
      await readPod(cluster, name, NEVER);
    } catch (error) {
      if (refusedWith(error, 404)) return true;
      throw error;
    }
    await sleep(LOOK_MS);
  }
  return false;
}

/**
 * Removes every object of ours that carries all of `labels` and that `only` takes, by the whole values that stand in their
 * annotations. Returns a line per object.
 */
export async function sweepObjects(
  cluster: Cluster,
  labels: Readonly<Record<string, string>>,
  { ms, signal, only = () => true, graceMs = 0 }: SweepOptions & { ms: number; signal: AbortSignal },
): Promise<string[]> {
  if (Object.keys(labels).length === 0) throw new Error('a sweep needs labels');
  const lines: string[] = [];
  for (const kind of KINDS) {
    for (const name of await namesOf(cluster, kind, { labels, only, signal })) {
      const removed =
        kind === 'pods'
          ? await removePod(cluster, name, { ms, graceSeconds: Math.ceil(graceMs / 1000) })
          : await deleteObject(cluster, { kind, name, signal });
      if (removed) lines.push(`Removed ${kind.slice(0, -1)} ${name}.`);
    }
  }
  return lines;
}

async function namesOf(
  cluster: Cluster,
  kind: Kind,
  {
    labels,
    only,
    signal,
  }: {
    labels: Readonly<Record<string, string>>;
    only: (labels: Readonly<Record<string, string>>) => boolean;
    signal: AbortSignal;
  },
): Promise<string[]> {
  const objects = await listObjects(cluster, { kind, labels, signal }).catch((error: unknown) => {
    // What lives for milliseconds is seldom left: no account needs the right for it.
    if (kind === 'podtemplates' && refusedWith(error, 403)) return [];
    throw error;
  });
  return objects.flatMap(({ metadata }) => {
    const annotations = metadata?.annotations ?? {};
    const same = Object.entries(labels).every(([key, value]) => annotations[key] === value);
    return same && annotations[KEPT] === undefined && only(annotations) && metadata?.name !== undefined
      ? [metadata.name]
      : [];
  });
}
