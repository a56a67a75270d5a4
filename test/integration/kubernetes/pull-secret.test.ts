import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Registry, startRegistry } from '../docker/registry.ts';
import { run } from '../docker/workbench.ts';
import { clusterBench, kubernetes } from './cluster.ts';

const bench = clusterBench();
let registry: Registry;
let [image, refused] = ['', ''];

beforeAll(async () => {
  registry = await startRegistry();
  image = await registry.push('pulumi-runner-test/busybox:1', 'acme/private:1');
  // Another, as whatever is on the node already runs there for everybody.
  refused = await registry.push('pulumi-runner-test/busybox:1', 'acme/refused:1');
});
afterAll(async () => {
  await kubernetes('unload', image);
  await registry?.close();
});

it('a node pulls a private image with the deployment’s credentials, and is refused without them or with others', async () => {
  const { credentials } = registry;
  const stranger = { ...credentials, password: 'wr0ng-pass' };
  const refusals = Promise.all(
    [{}, { credentials: stranger }].map((given) =>
      bench.prepare({ image: refused, ...given }).then(
        () => undefined,
        (error: unknown) => error,
      ),
    ),
  );
  const container = await bench.prepare({ image, credentials });
  expect(await run(container, 'echo private', { shell: 'sh' })).toMatchObject({ code: 0, output: 'private\n' });
  await expect.poll(() => container.imageDigest, { timeout: 20_000 }).toContain('/acme/private@sha256:');
  await container.remove();
  for (const error of await refusals) {
    expect(error).toMatchObject({
      outcome: 'target-error',
      message: expect.stringMatching(
        /^Failed to pull image 127\.0\.0\.1:\d+\/acme\/refused:1 for the job: .*(?:no basic auth credentials|unauthorized|401).* Check the image's name, and its registry's credentials in the deployment settings or as imagePullSecrets/s,
      ),
    });
    expect(String(error)).not.toContain('wr0ng-pass');
  }
  await expect.poll(() => bench.objects(), { timeout: 20_000 }).toEqual([]);
});
