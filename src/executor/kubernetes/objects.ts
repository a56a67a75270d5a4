import { createHash } from 'node:crypto';
import type { V1ObjectMeta, V1Secret } from '@kubernetes/client-node';
import { NEVER } from '../../base/clock.ts';
import type { Selection } from '../executor.ts';
import { loginAddress, parseReference } from '../image-reference.ts';
import type { Cluster } from './cluster.ts';
import { isNotFound, refusedWith } from './errors.ts';

/**
 * Labels of every object of ours; Fargate profiles select on the first two (protocol section 8).
 */
const COMPONENT_LABELS = {
  'app.kubernetes.io/component': 'pulumi-workflow',
  'app.kubernetes.io/name': 'workflow-runner',
  'app.kubernetes.io/managed-by': 'pulumi-runner-agent',
} as const;

/** A valid Kubernetes label value: up to 63 characters, the first and last a letter or digit. */
const VALUE = /^(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?$/;

/**
 * The value if it is a valid label value, else its hash. The annotation of the same key has the
 * full value.
 */
function labelValue(value: string): string {
  if (VALUE.test(value)) return value;
  return `sha256-${createHash('sha256').update(value).digest('hex').slice(0, 32)}`;
}

/** Labels and annotations that name the owner of an object. */
export function ownership(labels: Readonly<Record<string, string>>): {
  labels: Record<string, string>;
  annotations: Record<string, string>;
} {
  const values = Object.entries(labels).map(([key, value]) => [key, labelValue(value)]);
  return { labels: { ...Object.fromEntries(values), ...COMPONENT_LABELS }, annotations: { ...labels } };
}

/** The kinds of objects that jobs create, by resource name. */
export type ObjectKind = 'pods' | 'secrets' | 'podtemplates';

/** The fields that are read of any object. */
export interface ObjectHead {
  readonly metadata?: V1ObjectMeta;
}

/**
 * Our objects with all of `labels`; a long value is compared by its hash. Throws as `Cluster.call` does.
 */
export async function listObjects<T extends ObjectHead = ObjectHead>(
  cluster: Cluster,
  { kind, labels, signal }: { kind: ObjectKind; labels: Selection; signal: AbortSignal },
): Promise<readonly T[]> {
  const selected = Object.entries({ ...labels, ...COMPONENT_LABELS }).map(([key, value]) =>
    value === undefined ? key : `${key}=${labelValue(value)}`,
  );
  const query = { labelSelector: selected.join(',') };
  const { items } = await cluster.call<{ items: T[] }>({ verb: 'list', resource: kind, query, signal });
  return items;
}

/** Creates an object, which must have a unique name. Throws as `Cluster.call` does. */
export async function createObject(
  cluster: Cluster,
  { kind, body, signal }: { kind: ObjectKind; body: object; signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();

  try {
    // Never aborted half-way: only an answer tells whether there is something to remove.
    await cluster.call({ verb: 'create', resource: kind, body, signal: NEVER, retry: signal });
  } catch (error) {
    // An earlier attempt, whose answer was lost, has created it.
    if (!refusedWith(error, 409) || error.reason !== 'AlreadyExists') throw error;
  }
}

interface Deletion {
  readonly kind: ObjectKind;
  readonly name: string;
  readonly graceSeconds?: number | undefined;
  readonly signal: AbortSignal;
  /** As in ApiCall. */
  readonly retry?: AbortSignal | undefined;
}

/** Deletes an object. Returns false if there was none. Throws as `Cluster.call` does. */
export async function deleteObject(
  cluster: Cluster,
  { kind, name, graceSeconds, signal, retry }: Deletion,
): Promise<boolean> {
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: graceSeconds };
  try {
    await cluster.call({ verb: 'delete', resource: kind, name, body, signal, retry });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

interface PullSecret {
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly credentials: { readonly username: string; readonly password: string };
}

/**
 * Creates the secret with which kubelets pull the job's image. Throws as `Cluster.call` does.
 */
export async function createPullSecret(
  cluster: Cluster,
  name: string,
  { image, labels, credentials }: PullSecret,
  signal: AbortSignal,
): Promise<void> {
  const key = loginAddress(parseReference(image));
  const auth = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');

  const secret: V1Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, ...ownership(labels) },
    type: 'kubernetes.io/dockerconfigjson',
    stringData: { '.dockerconfigjson': JSON.stringify({ auths: { [key]: { ...credentials, auth } } }) },
  };

  await createObject(cluster, { kind: 'secrets', body: secret, signal });
}

/**
 * Removes the secret if it is there. Retries while the API server is away; throws what
 * `Cluster.call` throws.
 */
export async function removeSecret(cluster: Cluster, name: string): Promise<void> {
  await deleteObject(cluster, { kind: 'secrets', name, signal: NEVER, retry: NEVER });
}
