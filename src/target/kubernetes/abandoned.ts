import type { V1Pod } from '@kubernetes/client-node';
import type { Cluster } from './cluster.ts';
import { refusedWith } from './errors.ts';
import { jobStatus } from './look.ts';
import { deleteObject, listObjects, type ObjectHead } from './objects.ts';
import { KEPT, START_SECONDS } from './pod.ts';
import { removePod } from './removal.ts';

/** Milliseconds for which what nobody needs any more is its agent's own affair: agents remove theirs at once. */
const ENDED_MS = 10 * 60_000;

export interface AbandonedOptions {
  /** Milliseconds that a pod's removal may take. */
  readonly ms: number;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970; as the API server's clock has it when absent. */
  readonly now?: number;
}

/**
 * Removes what only a dead agent leaves, wherever it was: pods that ended by themselves a while ago or never ran in their time, and
 * pull secrets and merged templates without a pod. Returns a line per object. Throws what the cluster says of pods.
 */
export async function sweepAbandoned(cluster: Cluster, options: AbandonedOptions): Promise<string[]> {
  const { ms, signal } = options;
  const pods = await listObjects<V1Pod>(cluster, { kind: 'pods', labels: {}, signal });
  // By this machine's clock, were it fast, a living neighbour's pod that is about to start would be old.
  const { now = cluster.now() } = options;
  const lines: string[] = [];
  for (const pod of pods) {
    const name = pod.metadata?.name;
    if (name === undefined || !isAbandoned(pod, now)) continue;
    if (await removePod(cluster, name, { ms, graceSeconds: 0 }))
      lines.push(`Removed pod ${name}, whose agent is gone.`);
  }
  const names = new Set(pods.map(({ metadata }) => metadata?.name));
  for (const kind of ['secrets', 'podtemplates'] as const) {
    for (const { metadata } of await listed(cluster, kind, signal)) {
      const { name, creationTimestamp } = metadata ?? {};
      // They are named as the pod that they are made for.
      if (name === undefined || names.has(name) || !isOld(creationTimestamp, now)) continue;
      if (await deleteObject(cluster, { kind, name, signal }))
        lines.push(`Removed ${kind.slice(0, -1)} ${name}, whose agent is gone.`);
    }
  }
  return lines;
}

/** Empty where this account may not list them: a pull secret goes with its pod, but for a moment, and a template lives for milliseconds. */
async function listed(
  cluster: Cluster,
  kind: 'secrets' | 'podtemplates',
  signal: AbortSignal,
): Promise<readonly ObjectHead[]> {
  try {
    return await listObjects(cluster, { kind, labels: {}, signal });
  } catch (error) {
    if (refusedWith(error, 403)) return [];
    throw error;
  }
}

function isAbandoned(pod: V1Pod, now: number): boolean {
  const { metadata, status } = pod;
  const annotations = metadata?.annotations ?? {};
  if (annotations[KEPT] !== undefined) return false;
  const finished = jobStatus(pod)?.state?.terminated?.finishedAt;
  if (finished !== undefined) return isOld(finished, now);
  const seconds = Number(annotations[START_SECONDS]);
  // Its agent would have given it up.
  return status?.phase === 'Pending' && seconds > 0 && isOld(metadata?.creationTimestamp, now - seconds * 1000);
}

function isOld(since: Date | string | undefined, now: number): boolean {
  return since !== undefined && now - new Date(since).getTime() >= ENDED_MS;
}
