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

export interface PodRemoval {
  /** Milliseconds until it must be gone. */
  readonly ms: number;
  /** The pod's own grace period when absent, in which it interrupts what runs. */
  readonly graceSeconds?: number;
  /** The pod's grace period comes on top of `ms`: something runs that may need it. */
  readonly isPatient?: boolean;
}

/** Deletes a pod and waits until it is gone. False when there was none. Throws ContainerError when it is still there after `ms`. */
export async function removePod(
  cluster: Cluster,
  name: string,
  { ms, graceSeconds, isPatient = false }: PodRemoval,
): Promise<boolean> {
  const time: Time = { end: performance.now() + ms, isPatient };
  let failure: unknown;
  let found = true;
  do {
    try {
      const grace = graceSeconds === undefined ? {} : { graceSeconds };
      found = await deleteObject(cluster, { kind: 'pods', name, ...grace, signal: NEVER });
      if (!found || (await isGoneInTime(cluster, name, time))) return found;
    } catch (error) {
      failure = error;
      if (refusedWith(error, 401, 403)) break;
      await sleep(LOOK_MS * 5);
    }
  } while (performance.now() < time.end);
  const namespace = await cluster.namespace();
  throw new ContainerError(
    `Failed to remove pod ${name} for the job: ${failure === undefined ? 'it does not end' : oneLine(messageOf(failure))}. Remove it by hand: kubectl delete pod ${name} -n ${namespace}.`,
    { cause: failure },
  );
}

interface Time {
  end: number;
  /** The pod's grace period is to be added still. */
  isPatient: boolean;
}

async function isGoneInTime(cluster: Cluster, name: string, time: Time): Promise<boolean> {
  while (performance.now() < time.end) {
    try {
      const { metadata } = await readPod(cluster, name, NEVER);
      if (time.isPatient) time.end += (metadata?.deletionGracePeriodSeconds ?? 0) * 1000;
      time.isPatient = false;
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
