import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../outcome.ts';
import { allTried, linesOf } from '../all-tried.ts';
import { NEVER } from '../deadline.ts';
import { ContainerError } from '../executor.ts';
import { oneLine } from '../one-line.ts';
import type { Cluster } from './cluster.ts';
import { refusedWith } from './errors.ts';
import { findPod } from './look.ts';
import { deleteObject, type Kind } from './objects.ts';
import { removeSecret } from './pull-secret.ts';

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
    const pod = await findPod(cluster, name, NEVER);
    if (pod === undefined) return true;
    if (time.isPatient) time.end += (pod.metadata?.deletionGracePeriodSeconds ?? 0) * 1000;
    time.isPatient = false;
    await sleep(LOOK_MS);
  }
  return false;
}

/** Deletes a pod and its pull secret, if there is one left. Each is tried whatever becomes of the other: credentials don't stay because a pod does. */
export async function removePodAndSecret(
  cluster: Cluster,
  { pod, secret, ...removal }: PodRemoval & { readonly pod: string; readonly secret: string | undefined },
): Promise<void> {
  await allTried<unknown>([
    removePod(cluster, pod, removal),
    ...(secret === undefined ? [] : [removeSecret(cluster, secret)]),
  ]);
}

/** Deletes objects of one kind that nothing ends with. Returns a line for each that was there. Throws the first failure, once all were tried. */
export function removeNamed(
  cluster: Cluster,
  { kind, names, signal }: { kind: Exclude<Kind, 'pods'>; names: readonly string[]; signal: AbortSignal },
): Promise<string[]> {
  return linesOf(
    names.map(async (name) =>
      (await deleteObject(cluster, { kind, name, signal })) ? `Removed ${kind.slice(0, -1)} ${name}.` : undefined,
    ),
  );
}
