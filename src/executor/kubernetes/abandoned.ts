import type { V1Pod } from '@kubernetes/client-node';
import { linesOf } from '../all-tried.ts';
import type { Cluster } from './cluster.ts';
import { isOver, jobStatus } from './look.ts';
import { listObjects } from './objects.ts';
import { KEPT, START_SECONDS } from './pod.ts';
import { removeNamed, removePod } from './removal.ts';

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
 * pull secrets and merged templates without a pod. Returns a line per object. Throws the first failure, once all were tried.
 */
export async function sweepAbandoned(cluster: Cluster, options: AbandonedOptions): Promise<string[]> {
  const { ms, signal } = options;
  const pods = await listObjects<V1Pod>(cluster, { kind: 'pods', labels: {}, signal });
  // By this machine's clock, were it fast, a living neighbour's pod that is about to start would be old.
  const { now = cluster.now() } = options;
  const ended = pods.flatMap((pod) => {
    const name = pod.metadata?.name;
    return name === undefined || !isAbandoned(pod, now) ? [] : [name];
  });
  const names = new Set(pods.map(({ metadata }) => metadata?.name));
  const others = (['secrets', 'podtemplates'] as const).map(async (kind) => {
    const heads = await listObjects(cluster, { kind, labels: {}, signal });
    const alone = heads.flatMap(({ metadata: { name, creationTimestamp } = {} }) =>
      // They are named as the pod that they are made for.
      name === undefined || names.has(name) || !isOld(creationTimestamp, now) ? [] : [name],
    );
    return removeNamed(cluster, { kind, names: alone, signal });
  });
  const removals = ended.map(async (name) =>
    (await removePod(cluster, name, { ms, graceSeconds: 0 })) ? `Removed pod ${name}.` : undefined,
  );
  return linesOf([...removals, ...others]);
}

function isAbandoned(pod: V1Pod, now: number): boolean {
  const { metadata, status } = pod;
  const annotations = metadata?.annotations ?? {};
  if (annotations[KEPT] !== undefined) return false;
  const over = overSince(pod);
  if (over !== undefined) return isOld(over, now);
  const seconds = Number(annotations[START_SECONDS]);
  // Its agent would have given it up.
  return status?.phase === 'Pending' && seconds > 0 && isOld(metadata?.creationTimestamp, now - seconds * 1000);
}

/** When the job's container ended; of a pod that is over without a word of that, as one that its node refused, when it last changed. */
function overSince(pod: V1Pod): Date | string | undefined {
  const finished = jobStatus(pod)?.state?.terminated?.finishedAt;
  if (!isOver(pod) || finished) return finished;
  const changes = pod.status?.conditions?.flatMap(({ lastTransitionTime }) => lastTransitionTime ?? []) ?? [];
  return changes.toSorted((a, b) => time(a) - time(b)).at(-1) ?? pod.metadata?.creationTimestamp;
}

function isOld(since: Date | string | undefined, now: number): boolean {
  return since !== undefined && now - time(since) >= ENDED_MS;
}

function time(at: Date | string): number {
  return new Date(at).getTime();
}
