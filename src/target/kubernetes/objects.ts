import { NEVER } from '../deadline.ts';
import { type Cluster, patienceOf } from './cluster.ts';
import { refusedWith } from './errors.ts';

/** What the cluster calls the objects that jobs are made of. */
export type Kind = 'pods' | 'secrets' | 'podtemplates';

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
  { kind, name, graceSeconds, signal }: { kind: Kind; name: string; graceSeconds?: number; signal: AbortSignal },
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
    });
    return true;
  } catch (error) {
    if (refusedWith(error, 404)) return false;
    throw error;
  }
}
