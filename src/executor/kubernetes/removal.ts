import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import { NEVER } from '../../base/clock.ts';
import { messageOf } from '../../base/outcome.ts';
import { linesOf } from '../clean-up.ts';
import { ContainerError, type Selection, type SweepOptions } from '../executor.ts';
import { oneLine } from '../foreign-text.ts';
import { AGENT_POD, isAgentGone } from './agent-pod.ts';
import type { Cluster } from './cluster.ts';
import { refusedWith } from './errors.ts';
import { deleteObject, listObjects, type ObjectHead } from './objects.ts';
import { KEPT_ANNOTATION, START_SECONDS } from './pod/pod.ts';
import { findPod, isOver, jobStatus } from './pod/status.ts';

/** Between checks that a pod is gone. */
const CHECK_MS = 250;

/** Until an ended pod or a secret without a pod counts as abandoned: living agents remove them at once. */
const ENDED_MS = 10 * 60_000;

/**
 * Pods whose agents a sweep looks up: each of many agents sweeps, and the API server answers them
 * all.
 */
const MOST_LOOKED_UP = 50;

export interface PodRemoval {
  /** The time until it must be gone. */
  readonly ms: number;
  /** If absent, the pod's own grace period, in which it interrupts its step. */
  readonly graceSeconds?: number | undefined;
  /** Adds the pod's grace period to `ms`, as a running step can need it. */
  readonly isPatient?: boolean | undefined;
}

/**
 * Deletes a pod and waits until it is gone; false if none existed. Throws ContainerError if it
 * remains after `ms`.
 */
export async function removePod(
  cluster: Cluster,
  name: string,
  { ms, graceSeconds, isPatient = false }: PodRemoval,
): Promise<boolean> {
  let end = performance.now() + ms;
  let isAsked = false;
  let isExtended = !isPatient;
  let failure: unknown;

  do {
    try {
      if (!isAsked && !(await deleteObject(cluster, { kind: 'pods', name, graceSeconds, signal: NEVER })))
        return false;

      isAsked = true;

      const pod = await findPod(cluster, name, NEVER);
      if (pod === undefined) return true;

      if (!isExtended) end += (pod.metadata?.deletionGracePeriodSeconds ?? 0) * 1000;
      isExtended = true;
      failure = undefined;
    } catch (error) {
      failure = error;
      if (refusedWith(error, 401, 403)) break;
    }

    await sleep(failure === undefined ? CHECK_MS : CHECK_MS * 4);
  } while (performance.now() < end);

  const namespace = await cluster.namespace();
  throw new ContainerError(
    `Failed to remove pod ${name} for the job: ${failure === undefined ? 'it does not end' : oneLine(messageOf(failure))}. Remove it by hand: kubectl delete pod ${name} -n ${namespace}.`,
    { code: 'PRA-K8S-23', cause: failure },
  );
}

/**
 * Removes every object of ours whose annotations have all of `labels` and that `only` accepts. A
 * pod is asked to end, never killed; once `skipGrace` has aborted, a running one is left alone. Throws
 * if there are no labels, and the first failure once all were tried.
 */
export async function sweepObjects(
  cluster: Cluster,
  labels: Selection,
  { only = () => true, graceMs = 0, skipGrace }: SweepOptions,
  stopMs: number,
  signal: AbortSignal,
): Promise<string[]> {
  if (Object.keys(labels).length === 0) throw new Error('a sweep requires labels');

  const isOurs = ({ metadata: { annotations = {} } = {} }: ObjectHead) =>
    Object.entries(labels).every(
      ([key, value = annotations[key]]) => key in annotations && annotations[key] === value,
    ) &&
    annotations[KEPT_ANNOTATION] === undefined &&
    only(annotations);

  const pods = (await listObjects<V1Pod>(cluster, { kind: 'pods', labels, signal })).filter(isOurs);

  return linesOf([
    ...pods.map((pod) => sweepPod(cluster, pod, { stopMs, graceMs, skipGrace, signal })),
    sweepSecrets(cluster, labels, { isTaken: isOurs, signal }),
  ]);
}

interface PodSweep {
  readonly stopMs: number;
  /** As in SweepOptions. */
  readonly graceMs: number;
  readonly skipGrace: AbortSignal | undefined;
  readonly signal: AbortSignal;
}

async function sweepPod(
  cluster: Cluster,
  pod: V1Pod,
  { stopMs, graceMs, skipGrace, signal }: PodSweep,
): Promise<string | undefined> {
  const name = nameOf(pod);
  if (isOver(pod)) return removeEnded(cluster, name, stopMs);

  const runs = pod.status?.phase === 'Running' || jobStatus(pod)?.state?.running !== undefined;
  if (runs && skipGrace?.aborted) return undefined;

  // The API server applies the pod's own grace period, or none if no node has the pod yet.
  if (!(await deleteObject(cluster, { kind: 'pods', name, signal, retry: signal }))) return undefined;

  const over = AbortSignal.any([
    signal,
    AbortSignal.timeout(graceMs),
    ...(skipGrace === undefined ? [] : [skipGrace]),
  ]);

  for (;;) {
    // The pod can go even while the API server does not answer.
    if ((await findPod(cluster, name, signal).catch(() => pod)) === undefined) return `Removed pod ${name}.`;
    signal.throwIfAborted();
    if (over.aborted) break;
    await sleep(CHECK_MS, undefined, { signal: over }).catch(() => undefined);
  }

  const seconds = pod.metadata?.deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 0;
  return `Pod ${name} was asked to end, and has ${seconds} s for it.`;
}

/**
 * Removes the remains of dead agents: pods that ended a while ago or did not start in time, and
 * secrets whose pod is gone. Asks a running pod to end once its agent's own pod is gone, as a job
 * can forge heartbeats. Throws the first failure once all were tried.
 */
export async function sweepAbandoned(
  cluster: Cluster,
  {
    ms,
    signal,
    now: testTime,
  }: { readonly ms: number; readonly signal: AbortSignal; readonly now?: number | undefined },
): Promise<string[]> {
  const pods = await listObjects<V1Pod>(cluster, { kind: 'pods', labels: {}, signal });

  // The API server's clock: a fast local one would make a pod that another agent is starting look
  // old.
  const now = testTime ?? cluster.now();
  const abandoned = pods.filter((pod) => isAbandoned(pod, now));
  const removals = abandoned.map((pod) => removeEnded(cluster, nameOf(pod), ms));
  const rest = pods.filter((pod) => !abandoned.includes(pod));
  const endings = someOf(rest.flatMap(agentOf), now).map(async ({ pod, agent }) =>
    (await isAgentGone(cluster, agent, signal))
      ? sweepPod(cluster, pod, { stopMs: ms, graceMs: 0, skipGrace: undefined, signal })
      : undefined,
  );

  // A secret has the name of its pod.
  const names = new Set(rest.map(nameOf));
  const isTaken = (each: ObjectHead) =>
    !names.has(nameOf(each)) && isOld(each.metadata?.creationTimestamp, now);

  return linesOf([...removals, ...endings, sweepSecrets(cluster, {}, { isTaken, signal })]);
}

/** A pod with its agent's mark; none if it has no mark, is kept, or ends anyway. */
function agentOf(pod: V1Pod): readonly { readonly pod: V1Pod; readonly agent: string }[] {
  const { annotations: { [KEPT_ANNOTATION]: keptMark, [AGENT_POD]: agent } = {}, deletionTimestamp } =
    pod.metadata ?? {};
  const isSpared = keptMark !== undefined || deletionTimestamp !== undefined || isOver(pod);
  return agent === undefined || isSpared ? [] : [{ pod, agent }];
}

/** As many as a sweep looks up, others at another time. */
function someOf<T>(all: readonly T[], now: number): readonly T[] {
  const from = Math.floor(now / 1000) % all.length;
  return [...all.slice(from), ...all.slice(0, from)].slice(0, MOST_LOOKED_UP);
}

async function removeEnded(cluster: Cluster, name: string, ms: number): Promise<string | undefined> {
  return (await removePod(cluster, name, { ms, graceSeconds: 0 })) ? `Removed pod ${name}.` : undefined;
}

function isAbandoned(pod: V1Pod, now: number): boolean {
  const { annotations = {}, creationTimestamp } = pod.metadata ?? {};
  if (annotations[KEPT_ANNOTATION] !== undefined) return false;
  if (isOver(pod)) return isOld(overSince(pod), now);
  // A living agent would have given it up by now.
  const seconds = Number(annotations[START_SECONDS]);
  return pod.status?.phase === 'Pending' && seconds > 0 && isOld(creationTimestamp, now - seconds * 1000);
}

/**
 * When the job's container ended or, if unknown (after an eviction or a node's refusal), when the
 * pod last changed.
 */
function overSince(pod: V1Pod): Date | string | undefined {
  const finished = jobStatus(pod)?.state?.terminated?.finishedAt;
  const changes = pod.status?.conditions?.flatMap(({ lastTransitionTime }) => lastTransitionTime ?? []) ?? [];
  const last = changes.toSorted((a, b) => new Date(a).getTime() - new Date(b).getTime()).at(-1);
  return finished ?? last ?? pod.metadata?.creationTimestamp;
}

function isOld(since: Date | string | undefined, now: number): boolean {
  return since !== undefined && now - new Date(since).getTime() >= ENDED_MS;
}

/** Deletes the pull secrets that `isTaken` accepts; returns a line for each that was there. */
async function sweepSecrets(
  cluster: Cluster,
  labels: Selection,
  { isTaken, signal }: { isTaken: (object: ObjectHead) => boolean; signal: AbortSignal },
): Promise<string[]> {
  const kind = 'secrets';
  const names = (await listObjects(cluster, { kind, labels, signal })).filter(isTaken).map(nameOf);
  const remove = async (name: string) =>
    (await deleteObject(cluster, { kind, name, signal })) ? `Removed secret ${name}.` : undefined;
  return linesOf(names.map(remove));
}

function nameOf({ metadata }: ObjectHead): string {
  return metadata?.name ?? '';
}
