import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { Cluster } from '../../../../src/executor/kubernetes/cluster.ts';
import { untilRunning } from '../../../../src/executor/kubernetes/pod/start.ts';

vi.mock('node:timers/promises', { spy: true });
afterEach(() => void vi.restoreAllMocks());

const IMAGE = 'registry.example.com/acme/app:1';
const TIMEOUT_MS = 600_000;

/** The error for a pod whose kubelet says this of its image, and after how many milliseconds. */
async function refused(reason: string, message: string) {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.mocked(sleep).mockImplementation(async (ms = 0) => {
    now += ms;
    return undefined as never;
  });
  const status = { name: 'pulumi-workflow', image: IMAGE, state: { waiting: { reason, message } } };
  const cluster = {
    namespace: async () => 'default',
    call: async ({ resource }: { resource: string }) =>
      resource === 'pods' ? { status: { containerStatuses: [status] } } : { items: [] },
  } as unknown as Cluster;
  const { signal } = new AbortController();
  const error: unknown = await untilRunning(cluster, 'p', TIMEOUT_MS, async () => undefined, signal).catch(
    (thrown: unknown) => thrown,
  );
  return { error, ms: now };
}

const RESOLVE = `failed to pull and unpack image "${IMAGE}": failed to resolve reference "${IMAGE}":`;

it.each([
  [
    'ErrImagePull',
    `${RESOLVE} failed to do request: Head "https://registry.example.com/v2/": dial tcp 192.0.2.1:443: connect: connection refused`,
  ],
  [
    'ErrImagePull',
    `${RESOLVE} unexpected status from HEAD request to https://registry.example.com/v2/acme/app/manifests/1: 429 Too Many Requests`,
  ],
  ['ImagePullBackOff', `Back-off pulling image "${IMAGE}": ErrImagePull: ${RESOLVE} 503 Service Unavailable`],
  ['ImagePullBackOff', `Back-off pulling image "${IMAGE}"`],
])(
  'a pull that may work later has the pod’s whole time, and ends with the kubelet’s words: %s %s',
  async (reason, message) => {
    const { error, ms } = await refused(reason, message);
    expect(ms).toBe(TIMEOUT_MS);
    expect(error).toMatchObject({ name: 'ImageError', code: 'PRA-K8S-17' });
    expect(String(error)).toContain(
      `Failed to pull image ${IMAGE} for the job: ${message}. Check that the nodes`,
    );
  },
);

it.each([
  ['ErrImagePull', `${RESOLVE} ${IMAGE}: not found`],
  [
    'ErrImagePull',
    `${RESOLVE} pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials`,
  ],
  [
    'ImagePullBackOff',
    `Back-off pulling image "${IMAGE}": ErrImagePull: no match for platform in manifest: not found`,
  ],
])('an image that its registry refuses has 20 seconds: %s %s', async (reason, message) => {
  const { error, ms } = await refused(reason, message);
  expect(ms).toBe(20_000);
  expect(error).toMatchObject({ name: 'ImageError', code: 'PRA-K8S-17' });
  expect(String(error)).toContain("Check the image's name, and its registry's credentials");
});
