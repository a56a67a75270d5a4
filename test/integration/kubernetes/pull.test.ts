import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Registry, startRegistry } from '../../support/docker/registry.ts';
import { run } from '../../support/docker/workbench.ts';
import { clusterBench, kubernetes } from '../../support/kubernetes/cluster.ts';

const bench = clusterBench();
let registry: Registry;
let [image, refused] = ['', ''];

beforeAll(async () => {
  registry = await startRegistry();
  image = await registry.push('pulumi-runner-test/busybox:1', 'acme/private:1');
  // A second image: one that is on the node already runs there without credentials.
  refused = await registry.push('pulumi-runner-test/busybox:1', 'acme/refused:1');
});
afterAll(async () => {
  await kubernetes('unload', image);
  await registry?.close();
});

it('a node pulls a private image with the deployment’s credentials', async () => {
  const { credentials } = registry;
  const container = await bench.prepare({ image, credentials });
  expect(await run(container, 'echo private', { shell: 'sh' })).toMatchObject({
    code: 0,
    output: 'private\n',
  });
  await expect.poll(() => container.imageDigest, { timeout: 20_000 }).toContain('/acme/private@sha256:');
  await container.remove();
  await expect.poll(() => bench.objects(), { timeout: 20_000 }).toEqual([]);
});

it("an image that cannot be pulled fails the start with the reason, whether it is the job's or an init container's", async () => {
  const nowhere = 'localhost:1/nothing/here:1';
  const template = JSON.stringify({ spec: { initContainers: [{ name: 'setup', image: nowhere }] } });
  // A registry that is away has the pod's whole time.
  const soon = { podStartTimeoutMs: 30_000 };
  const stranger = { ...registry.credentials, password: 'wr0ng-pass' };
  const refusal =
    /^Failed to pull image 127\.0\.0\.1:\d+\/acme\/refused:1 for the job: .*(?:no basic auth credentials|unauthorized|401).* Check the image's name, and its registry's credentials in the deployment settings or as imagePullSecrets/s;
  const cases = [
    [bench.prepare({ image: refused }), refusal],
    [bench.prepare({ image: refused, credentials: stranger }), refusal],
    [
      bench.prepare({ image: nowhere }, bench.target(soon)),
      /^Failed to pull image localhost:1\/nothing\/here:1 for the job: .*connection refused.* Check that the nodes reach the registry/s,
    ],
    [
      bench.prepare({}, bench.target({ ...soon, podTemplate: template })),
      /^Failed to pull image localhost:1\/nothing\/here:1 of init container setup for the job: .*connection refused/s,
    ],
  ] as const;
  // Side by side, as each waits for the kubelet to try again.
  await Promise.all(
    cases.map(async ([preparing, message]) => {
      const error: unknown = await preparing.catch((reason: unknown) => reason);
      expect(error).toMatchObject({ outcome: 'target-error', message: expect.stringMatching(message) });
      expect(String(error)).not.toContain('wr0ng-pass');
    }),
  );
  expect(await bench.objects()).toEqual([]);
});
