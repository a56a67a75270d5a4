import { expect, it } from 'vitest';
import type { EngineProxy } from '../../support/docker/engine-proxy.ts';
import { docker } from '../../support/docker/images.ts';
import { begin, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();

/** Counts its interrupts until /tmp/go exists. A second one ends an engine at once, without its state. */
const COUNTING = `n=0; trap 'n=$((n+1)); echo interrupted' INT; echo up
until [ -e /tmp/go ]; do sleep 0.05; done; echo "$n in all"`;

it.each<[string, (id: string, proxy: EngineProxy) => unknown]>([
  ['the container is stopped', (id) => docker.getContainer(id).stop()],
  ["the agent's connection ends", (_, proxy) => proxy.cutOnly(/\/attach/)],
])('an interrupt reaches a step only once, even when %s afterwards', async (_, harm) => {
  const { proxy, target } = await bench.behindProxy();
  const container = await bench.prepare({}, target);
  const step = await begin(container, COUNTING);
  await step.shows('up');
  // Started later, so it is interrupted after the first step if that one is interrupted again.
  const other = await begin(
    container,
    "trap 'touch /tmp/go; exit 0' INT; echo up; while :; do sleep 0.05; done",
  );
  await other.shows('up');
  await step.signal('SIGINT');
  await step.shows('interrupted');
  await harm(container.id, proxy);
  await step.exit;
  expect(step.output()).toBe('up\ninterrupted\n1 in all\n');
  await other.exit;
});
