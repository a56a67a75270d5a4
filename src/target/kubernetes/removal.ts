import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../outcome.ts';
import { NEVER } from '../deadline.ts';
import { oneLine } from '../one-line.ts';
import { ContainerError } from '../target.ts';
import type { Cluster } from './cluster.ts';
import { refusedWith } from './errors.ts';
import { readPod } from './look.ts';
import { deleteObject } from './objects.ts';

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

/** What each removal has to tell, in order. Throws the first failure, once all were tried. */
export async function linesOf(removals: readonly Promise<string | readonly string[] | undefined>[]): Promise<string[]> {
  const results = await Promise.allSettled(removals);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results.flatMap((result) => (result.status === 'fulfilled' ? (result.value ?? []) : []));
}
