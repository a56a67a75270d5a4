import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EngineProxy, startEngineProxy } from '../../support/docker/engine-proxy.ts';
import { docker } from '../../support/docker/images.ts';
import { begin, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();
let proxy: EngineProxy;
beforeAll(async () => {
  proxy = await startEngineProxy();
});
afterAll(() => proxy.close());

/** Counts its interrupts until /tmp/go is there. An engine ends at its second one, at once and without its state. */
const COUNTING = `n=0; trap 'n=$((n+1)); echo interrupted' INT; echo up
until [ -e /tmp/go ]; do sleep 0.05; done; echo "$n in all"`;

it.each([
  ['the container is stopped', (id: string) => docker.getContainer(id).stop()],
  ["the agent's connection ends, as where it dies,", async () => proxy.cutOnly(/\/attach/)],
])('an interrupt goes once, though %s behind it', async (_, harm) => {
  const container = await bench.prepare({}, bench.newExecutor({ environment: { DOCKER_HOST: proxy.url } }));
  const step = await begin(container, COUNTING);
  await step.shows('up');
  // Begun later, and so interrupted behind the other where that is interrupted too.
  const other = await begin(container, "trap 'touch /tmp/go; exit 0' INT; echo up; while :; do sleep 0.05; done");
  await other.shows('up');
  await step.signal('SIGINT');
  await step.shows('interrupted');
  await harm(container.id);
  await step.exit;
  expect(step.output()).toBe('up\ninterrupted\n1 in all\n');
  await other.exit;
});
