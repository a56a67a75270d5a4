import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { relayPlace } from '../../../src/engines/pulumi/bridge.ts';
import { Engine } from '../../../src/executor/docker/engine/engine.ts';
import { BUSYBOX_IMAGE, JOB_IMAGE } from '../../support/docker/images.ts';
import { orphan } from '../../support/docker/orphan.ts';
import { copyImage } from '../../support/docker/own-engine.ts';
import { expectWholeJob } from '../../support/docker/whole-job.ts';
import { NEVER, run, workbench } from '../../support/docker/workbench.ts';
import { type Podman, startPodman } from './podman.ts';

const environment: Record<string, string> = {};
let podman: Podman;
const bench = workbench({ environment, docker: () => podman.docker });

beforeAll(async () => {
  podman = await startPodman();
  environment['DOCKER_HOST'] = podman.url;
  for (const image of [JOB_IMAGE, BUSYBOX_IMAGE]) await copyImage(image, podman.url);
});
afterAll(() => podman.close());

it('is named for what it is', async () => {
  expect(await bench.target.check(NEVER)).toMatch(/^Podman \d+\.\d+\.\d+ \(API 1\.\d+, linux\) at unix:\/\//);
});

it('is no engine that a relay can stand before', async () => {
  const engine = new Engine(environment);
  onTestFinished(() => engine.close());
  const config = { deployTarget: 'docker', envForwardAllowlist: [] } as const;
  expect(await relayPlace({ config, engine, environment, signal: NEVER })).toEqual({
    off: 'jobs run in Podman, whose network has another address on this machine',
  });
});

it.each([
  [JOB_IMAGE, 'bash'],
  [BUSYBOX_IMAGE, 'sh'],
])('a whole job runs in %s', async (image, shell) => {
  const container = await bench.prepare({ image });
  expect(container.imageDigest).toContain('sha256:');
  await expectWholeJob(container, shell);
  expect(await bench.containers()).toEqual([]);
});

it('ends the container when the agent is killed', async () => {
  await orphan('echo up; sleep 600', { image: JOB_IMAGE, labels: bench.labels, environment });
  expect(await bench.containers()).toHaveLength(1);
  const deadline = performance.now() + 40_000;
  while ((await bench.containers()).length > 0 && performance.now() < deadline) await sleep(100);
  expect(await bench.containers()).toEqual([]);
  // Its network ends by nobody: the next agent's sweep takes it.
  expect(await bench.target.sweep(bench.labels, NEVER)).toEqual([expect.stringMatching(/^Removed network /)]);
});

it('does not keep a job from the metadata service, which is said', async () => {
  const lines: string[] = [];
  const container = await bench.target.prepare(bench.spec(), async (line) => void lines.push(line), NEVER);
  const { output } = await run(container, 'grep -c 169.254.169.254 /proc/net/fib_trie');
  expect(output).toBe('0\n');
  expect(lines.join('\n')).toContain(
    "The cloud's metadata address 169.254.169.254 is not blocked: Podman doesn't give the container that address.",
  );
  await container.remove();
  expect(await bench.networks()).toEqual([]);
});
