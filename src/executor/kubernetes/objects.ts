import { createHash } from 'node:crypto';
import type { V1ObjectMeta } from '@kubernetes/client-node';
import { defined } from '../../defined.ts';
import { NEVER } from '../deadline.ts';
import type { Call, Cluster } from './cluster.ts';
import { refusedWith } from './errors.ts';

/** What every object of ours carries; Fargate profiles select on the first two (protocol section 8). */
const COMPONENT_LABELS = {
  'app.kubernetes.io/component': 'pulumi-workflow',
  'app.kubernetes.io/name': 'workflow-runner',
  'app.kubernetes.io/managed-by': 'pulumi-runner-agent',
} as const;

/** A label's value as Kubernetes takes it: up to 63 of its characters, beginning and ending with a letter or digit. */
const VALUE = /^(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?$/;

/** The value itself where it may be one, else a short name for it. The whole value is in the annotation of the same key. */
function labelValue(value: string): string {
  if (VALUE.test(value)) return value;
  return `sha256-${createHash('sha256').update(value).digest('hex').slice(0, 32)}`;
}

/** Labels and annotations that say what an object belongs to. */
export function ownership(labels: Readonly<Record<string, string>>): {
  labels: Record<string, string>;
  annotations: Record<string, string>;
} {
  const values = Object.entries(labels).map(([key, value]) => [key, labelValue(value)]);
  return { labels: { ...Object.fromEntries(values), ...COMPONENT_LABELS }, annotations: { ...labels } };
}

/** The selector that finds what `ownership(labels)` marks. */
export function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries({ ...labels, 'app.kubernetes.io/managed-by': COMPONENT_LABELS['app.kubernetes.io/managed-by'] })
    .map(([key, value]) => `${key}=${labelValue(value)}`)
    .join(',');
}

/** What the cluster calls the objects that jobs are made of. */
export type Kind = 'pods' | 'secrets' | 'podtemplates';

/** What is read of any object. */
export interface ObjectHead {
  readonly metadata?: Pick<V1ObjectMeta, 'name' | 'annotations' | 'creationTimestamp'>;
}

/** The objects of ours that carry all of `labels`, as far as their labels tell. Throws what the cluster says. */
export async function listObjects<T extends ObjectHead = ObjectHead>(
  cluster: Cluster,
  { kind, labels, signal }: { kind: Kind; labels: Readonly<Record<string, string>>; signal: AbortSignal },
): Promise<readonly T[]> {
  const query = { labelSelector: selectorOf(labels) };
  const list = cluster.call<{ items: T[] }>({ verb: 'list', resource: kind, query, signal });
  try {
    return (await list).items;
  } catch (error) {
    // An account without a pod template needs no right for them, and they hold nothing secret.
    if (kind === 'podtemplates' && refusedWith(error, 403)) return [];
    throw error;
  }
}

/** Creates an object under a name of its own; undefined where a try that wasn't answered has made it. Throws what the cluster says. */
export async function createObject<T extends object>(
  cluster: Cluster,
  { kind, body, signal }: { kind: Kind; body: T; signal: AbortSignal },
): Promise<T | undefined> {
  signal.throwIfAborted();
  try {
    // Never aborted half-way: only an answer tells what is there to be removed.
    return await cluster.call<T>({ verb: 'create', resource: kind, body, signal: NEVER, retry: signal });
  } catch (error) {
    if (refusedWith(error, 409) && error.reason === 'AlreadyExists') return undefined;
    throw error;
  }
}

/** Deletes an object. False when there was none. Throws what the cluster says. */
export async function deleteObject(
  cluster: Cluster,
  { kind, graceSeconds, ...call }: { kind: Kind; name: string; graceSeconds?: number } & Pick<Call, 'signal' | 'retry'>,
): Promise<boolean> {
  const body = defined({ kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: graceSeconds });
  try {
    await cluster.call({ verb: 'delete', resource: kind, body, ...call });
    return true;
  } catch (error) {
    if (refusedWith(error, 404)) return false;
    throw error;
  }
}
