import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import { linesOf } from '../all-tried.ts';
import type { SweepOptions } from '../executor.ts';
import type { Cluster } from './cluster.ts';
import { findPod, isOver, jobStatus } from './look.ts';
import { deleteObject, type Kind, listObjects, type ObjectHead } from './objects.ts';
import { KEPT } from './pod.ts';
import { removeNamed, removePod } from './removal.ts';

/** Milliseconds between two looks at a pod that ends in order. */
const LOOK_MS = 250;

type Labels = Readonly<Record<string, string>>;

export interface SweepLimits extends SweepOptions {
  /** Milliseconds that the removal of a pod may take in which nothing runs, and those that an API server may be away. */
  readonly ms: number;
  readonly signal: AbortSignal;
}

/**
 * Removes every object of ours that carries all of `labels` and that `only` takes, by the whole values that stand in their
 * annotations. A pod that may run is never killed: it is told to end, has its own grace period for that, and is waited for as long as
 * `graceMs` says; once `hurry` has aborted a running one is left alone. Returns a line per object. Throws for an empty set of labels,
 * which everything would carry, and the first failure once all were tried.
 */
export async function sweepObjects(cluster: Cluster, labels: Labels, limits: SweepLimits): Promise<string[]> {
  if (Object.keys(labels).length === 0) throw new Error('a sweep needs labels');
  const pods = await found<V1Pod>(cluster, 'pods', labels, limits);
  const others = (['secrets', 'podtemplates'] as const).map(async (kind) => {
    const names = (await found(cluster, kind, labels, limits)).map(([name]) => name);
    return removeNamed(cluster, { kind, names, signal: limits.signal });
  });
  return linesOf([...pods.map(([name, pod]) => sweepPod(cluster, name, pod, limits)), ...others]);
}

async function found<T extends ObjectHead>(
  cluster: Cluster,
  kind: Kind,
  labels: Labels,
  { only = () => true, signal }: SweepLimits,
): Promise<(readonly [name: string, object: T])[]> {
  return (await listObjects<T>(cluster, { kind, labels, signal })).flatMap((object) => {
    const { name, annotations = {} } = object.metadata ?? {};
    const same = Object.entries(labels).every(([key, value]) => annotations[key] === value);
    const taken = same && annotations[KEPT] === undefined && only(annotations);
    return taken && name !== undefined ? [[name, object] as const] : [];
  });
}

async function sweepPod(cluster: Cluster, name: string, pod: V1Pod, limits: SweepLimits): Promise<string | undefined> {
  const { ms, hurry, signal } = limits;
  const removed = `Removed pod ${name}.`;
  if (isOver(pod)) return (await removePod(cluster, name, { ms, graceSeconds: 0 })) ? removed : undefined;
  const runs = pod.status?.phase === 'Running' || jobStatus(pod)?.state?.running !== undefined;
  if (runs && hurry?.aborted) return undefined;
  // Without a word of ours the API server gives a pod its own grace period, and none where no node has it: it knows that at this
  // very moment, while a status is a kubelet's word of a while ago.
  if (!(await deleteObject(cluster, { kind: 'pods', name, signal, patience: { ms, signal } }))) return undefined;
  if (await isSoonGone(cluster, name, limits)) return removed;
  const seconds = pod.metadata?.deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 0;
  return `Pod ${name} was told to end in order, for which it has ${seconds} s.`;
}

/** Looks once at least. */
async function isSoonGone(
  cluster: Cluster,
  name: string,
  { graceMs = 0, hurry, signal }: SweepLimits,
): Promise<boolean> {
  const end = performance.now() + graceMs;
  const woken = AbortSignal.any([signal, ...(hurry === undefined ? [] : [hurry])]);
  for (;;) {
    try {
      if ((await findPod(cluster, name, signal)) === undefined) return true;
    } catch {
      // It goes whether or not somebody looks on.
      signal.throwIfAborted();
    }
    if (hurry?.aborted || performance.now() >= end) return false;
    await sleep(LOOK_MS, undefined, { signal: woken }).catch(() => signal.throwIfAborted());
  }
}
