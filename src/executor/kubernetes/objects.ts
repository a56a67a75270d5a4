import type { V1ObjectMeta } from '@kubernetes/client-node';
import { NEVER } from '../deadline.ts';
import { type Cluster, type Patience, patienceOf } from './cluster.ts';
import { refusedWith } from './errors.ts';
import { selectorOf } from './labels.ts';

/** What the cluster calls the objects that jobs are made of. */
export type Kind = 'pods' | 'secrets' | 'podtemplates';

/** What is read of any object. */
export interface ObjectHead {
  readonly metadata?: Pick<V1ObjectMeta, 'name' | 'annotations' | 'creationTimestamp'>;
}

/**
 * The objects of ours that carry all of `labels`, as far as their labels tell. Throws what the cluster says. Templates that this
 * account may not list count as none: without a pod template of its own it needs no right for them, and what lives for milliseconds and
 * holds nothing secret is seldom left and does no harm. A secret that nobody may look for has to be told.
 */
export async function listObjects<T extends ObjectHead = ObjectHead>(
  cluster: Cluster,
  { kind, labels, signal }: { kind: Kind; labels: Readonly<Record<string, string>>; signal: AbortSignal },
): Promise<readonly T[]> {
  const namespace = await cluster.namespace();
  const list = cluster.call<{ items: T[] }>({
    subject: { verb: 'list', resource: kind, namespace },
    method: 'GET',
    path: `/api/v1/namespaces/${namespace}/${kind}`,
    query: { labelSelector: selectorOf(labels) },
    signal,
  });
  try {
    return (await list).items;
  } catch (error) {
    if (kind === 'podtemplates' && refusedWith(error, 403)) return [];
    throw error;
  }
}

/**
 * Creates an object whose name nobody else has. Not aborted half-way: only an answer tells what is there to be removed. Undefined
 * where it turned out to be there by a try that wasn't answered. Throws what the cluster says, and the signal's reason when it aborts
 * between two tries.
 */
export async function createObject<T extends object>(
  cluster: Cluster,
  { kind, body, signal }: { kind: Kind; body: T; signal: AbortSignal },
): Promise<T | undefined> {
  signal.throwIfAborted();
  const namespace = await cluster.namespace();
  try {
    return await cluster.call<T>({
      subject: { verb: 'create', resource: kind, namespace },
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/${kind}`,
      body,
      signal: NEVER,
      patience: patienceOf(signal),
    });
  } catch (error) {
    if (refusedWith(error, 409) && error.reason === 'AlreadyExists') return undefined;
    throw error;
  }
}

/** Deletes an object. False when there was none. Throws what the cluster says. */
export async function deleteObject(
  cluster: Cluster,
  {
    kind,
    name,
    graceSeconds,
    signal,
    patience,
  }: { kind: Kind; name: string; graceSeconds?: number; signal: AbortSignal; patience?: Patience },
): Promise<boolean> {
  const namespace = await cluster.namespace();
  const subject = { verb: 'delete', resource: kind, namespace, name } as const;
  try {
    await cluster.call({
      subject,
      method: 'DELETE',
      path: `/api/v1/namespaces/${namespace}/${kind}/${name}`,
      body: {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
      },
      signal,
      ...(patience && { patience }),
    });
    return true;
  } catch (error) {
    if (refusedWith(error, 404)) return false;
    throw error;
  }
}
