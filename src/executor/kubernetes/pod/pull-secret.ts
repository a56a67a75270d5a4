import type { V1Secret } from '@kubernetes/client-node';
import { NEVER } from '../../deadline.ts';
import type { ContainerSpec } from '../../executor.ts';
import { parseReference } from '../../reference.ts';
import type { Cluster } from '../cluster.ts';
import { createObject, deleteObject, ownership } from '../objects.ts';

/** Docker Hub's key in a Docker configuration, whatever name its images go by. */
const DOCKER_HUB = 'https://index.docker.io/v1/';

/** Makes the secret that kubelets pull the job's image with. Throws ApiRefusedError. */
export async function createPullSecret(
  cluster: Cluster,
  {
    name,
    image,
    credentials,
    labels,
    signal,
  }: Pick<ContainerSpec, 'image' | 'labels'> & {
    readonly name: string;
    readonly credentials: NonNullable<ContainerSpec['credentials']>;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const registry = parseReference(image).registry;
  const key = registry === 'docker.io' ? DOCKER_HUB : registry;
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

/** Gives the secret to the pod: who deletes the pod then deletes both. */
export async function ownSecret(
  cluster: Cluster,
  { name, pod, uid, signal }: { name: string; pod: string; uid: string; signal: AbortSignal },
): Promise<void> {
  const owner = { apiVersion: 'v1', kind: 'Pod', name: pod, uid, controller: false, blockOwnerDeletion: false };
  await cluster.call({
    verb: 'patch',
    resource: 'secrets',
    name,
    contentType: 'application/merge-patch+json',
    body: { metadata: { ownerReferences: [owner] } },
    signal,
    retry: signal,
  });
}

/** Removes the secret, if it is there. Throws ApiRefusedError, and what an API server says that stays away. */
export async function removeSecret(cluster: Cluster, name: string): Promise<void> {
  await deleteObject(cluster, { kind: 'secrets', name, signal: NEVER, retry: NEVER });
}
