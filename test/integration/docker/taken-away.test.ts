import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { prepareWithRetries } from '../../../src/agent/job/container.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { type ContainerSpec, TargetError } from '../../../src/executor/executor.ts';
import { deriveImage, docker, JOB_IMAGE } from '../../support/docker/images.ts';
import { NEVER, run, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();

const CREATE = /^POST \S*\/containers\/create/;
const START = /^POST \S*\/containers\/\w+\/start/;

/** Prepares a container as a job does, while `harm` comes once before a request to the engine. */
async function prepared(at: RegExp, harm: () => Promise<unknown>, overrides: Partial<ContainerSpec> = {}) {
  let isDone = false;
  const before = (line: string) => {
    if (isDone || !at.test(line)) return undefined;
    isDone = true;
    return harm();
  };
  const { target } = await bench.behindProxy({ before });
  const lines: string[] = [];
  const container = await prepareWithRetries({
    executor: target,
    spec: bench.spec(overrides),
    progress: async (line) => void lines.push(line),
    clock: systemClock,
    say: () => undefined,
    signal: NEVER,
  });
  return { container, again: lines.filter((line) => line.endsWith('preparing the container again.')) };
}

const removeNetworks = async () => {
  for (const id of await bench.networks()) await docker.getNetwork(id).remove();
};
const removeContainers = async () => {
  for (const id of await bench.containers()) await docker.getContainer(id).remove({ force: true });
};

// As docker system prune does, which a test must not: it would meet other tests' objects.
it.each([
  ['its network before the container is created', CREATE, removeNetworks],
  ['its network before the container starts', START, removeNetworks],
  ['its container before it starts', START, removeContainers],
  ['its container once it has started', /^PUT \S*\/archive/, removeContainers],
])('a job is prepared anew when a prune takes %s', async (_, at, harm) => {
  const { container, again } = await prepared(at, harm);
  expect(again).toEqual([expect.stringMatching(/ not found|No such container/i)]);
  expect(again[0]).toContain('Something removed it, such as docker system prune');
  expect(await run(container, 'echo well')).toMatchObject({ code: 0, output: 'well\n' });
  await container.remove();
  expect([await bench.containers(), await bench.networks()]).toEqual([[], []]);
});

it('a job without a pull fails when a prune takes its image, and leaves nothing', async () => {
  const image = await deriveImage(JOB_IMAGE, {
    script: undefined,
    changes: [`ENV MARK=${randomBytes(6).toString('hex')}`],
  });
  const preparing = prepared(CREATE, () => docker.getImage(image).remove({ force: true }), { image });
  const error: unknown = await preparing.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TargetError);
  expect(error).toMatchObject({ code: 'PRA-IMAGE-04', mayPass: false });
  expect([await bench.containers(), await bench.networks()]).toEqual([[], []]);
});

it('a network that the settings name and the engine lacks is not tried again', async () => {
  const target = bench.newExecutor({ containment: { containerNetwork: 'no-such-network' } });
  await expect(bench.prepare({}, target)).rejects.toMatchObject({
    code: 'PRA-CONTAINER-01',
    mayPass: false,
    message: expect.stringContaining('docker network create no-such-network'),
  });
});
