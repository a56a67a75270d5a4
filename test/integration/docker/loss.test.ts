import { describe, expect, it } from 'vitest';
import { ContainerLostError, type JobContainer } from '../../../src/executor/executor.ts';
import { BUSYBOX_IMAGE, deriveImage, docker, JOB_IMAGE } from '../../support/docker/images.ts';
import { orphan } from '../../support/docker/orphan.ts';
import { begin, isGone, run, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();

/** How a step ends whose container goes away. */
async function lost(
  container: JobContainer,
  cause: (id: string) => Promise<unknown>,
  script = 'sleep 60',
): Promise<Error> {
  const step = await begin(container, `echo up; ${script}`, { shell: 'sh' });
  await step.shows('up');
  await cause(container.id);
  const error = await step.exit.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ContainerLostError);
  expect(step.output()).toBe('up\n');
  return error as Error;
}

// How each loss is said is in endings.test.ts; these are the ways of a stop and of a removal that no job shows.
describe('a container that goes away under a step', () => {
  const STOPPED = 'the engine was asked to stop the container, or is being stopped itself. Look for a docker stop,';

  it('was stopped, and the step ended before the word of it came', async () => {
    const [word, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isHeld = false;
    const { target } = await bench.behindProxy({
      holdAnswers: (line) => {
        if (!isHeld || !line.includes('/attach')) return undefined;
        word.resolve();
        return ended.promise;
      },
    });
    const container = await bench.prepare({}, target);
    const step = await begin(container, 'trap "echo saved; exit 5" INT; echo up; while :; do sleep 0.05; done');
    await step.shows('up');
    isHeld = true;
    const stopped = docker.getContainer(container.id).stop();
    await word.promise;
    // It goes once the agent has read the step's end, as its shell waits for that.
    await isGone(container.id);
    ended.resolve();
    await stopped;
    expect(await step.exit).toMatchObject({ code: 5, interruption: expect.stringContaining(STOPPED) });
    expect(step.output()).toBe('up\nsaved\n');
  });

  it('was on the other side of a connection that was cut', async () => {
    const { proxy, target } = await bench.behindProxy({}, { stopTimeoutMs: 300 });
    const container = await bench.prepare({}, target);
    const error = await lost(container, async () => proxy.cut());
    expect(error.message).toMatch(/the container was lost, and the engine does not say why \(.*ECONNREFUSED/);
    await expect(container.remove()).rejects.toThrow(
      /Failed to remove container \w+ for the job: .* Remove it by hand: docker rm -f/,
    );
    // Nobody holds its stdin any more.
    await isGone(container.id);
  });

  it('takes no further step, and one that runs ends with the removal', async () => {
    const container = await bench.prepare();
    const error = await lost(container, () => container.remove());
    expect(error.message).toContain('the agent removed the container');
    await expect(run(container, ':')).rejects.toThrow('the agent removed the container');
    const other = await bench.prepare();
    await lost(other, (id) => docker.getContainer(id).kill());
    await expect(run(other, ':')).rejects.toThrow('the container was killed or removed');
  });
});

describe('an agent that dies', () => {
  it.each([
    ['root', JOB_IMAGE, []],
    ['busybox', BUSYBOX_IMAGE, []],
    ['another user', JOB_IMAGE, ['USER job']],
  ])('takes its container along (%s)', async (_, base, changes) => {
    const image = changes.length === 0 ? base : bench.keepImage(await deriveImage(base, { changes }));
    const { id, killed } = await orphan('echo up; sleep 300', { image, labels: bench.labels });
    await isGone(id);
    expect(performance.now() - killed).toBeLessThan(20_000);
  });

  it('takes its container along even when the step ignores everything', async () => {
    const script = 'trap "" INT TERM HUP; echo up; while :; do sleep 0.1; done';
    const { id, killed } = await orphan(script, { image: JOB_IMAGE, labels: bench.labels });
    await isGone(id);
    // After the 10 s that it has for an end in order.
    expect(performance.now() - killed).toBeLessThan(30_000);
  });
});
