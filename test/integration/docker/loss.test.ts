import { describe, expect, it, vi } from 'vitest';
import { ORPHAN_GRACE_SECONDS } from '../../../src/executor/docker/container/main-process.ts';
import { ContainerLostError, type JobContainer } from '../../../src/executor/executor.ts';
import { BUSYBOX_IMAGE, docker, JOB_IMAGE } from '../../support/docker/images.ts';
import { orphan } from '../../support/docker/orphan.ts';
import { begin, isGone, NEVER, run, workbench } from '../../support/docker/workbench.ts';

// A hostile step takes its guard's share of a busy machine.
vi.setConfig({ testTimeout: 150_000 });

const bench = workbench();

/** The error of a step whose container goes away by `cause`. */
async function lost(container: JobContainer, cause: (id: string) => Promise<unknown>): Promise<Error> {
  const step = await begin(container, 'echo up; sleep 60', { shell: 'sh' });
  await step.shows('up');
  await cause(container.id);
  const error = await step.exit.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ContainerLostError);
  expect(step.output()).toBe('up\n');
  return error as Error;
}

// endings.test.ts checks what is said of each loss.
describe('a container that goes away during a step', () => {
  const STOPPED =
    'the engine was asked to stop the container, or is being stopped itself. Look for a docker stop,';

  it('is reported as stopped even when its main process could not say so', async () => {
    const container = await bench.prepare();
    const step = await begin(container, 'echo up; trap "" INT; while :; do sleep 0.05; done', {
      shell: 'sh',
    });
    await step.shows('up');
    await docker.getContainer(container.id).stop({ t: 0 });
    await expect(step.exit).rejects.toThrow(STOPPED);
  });

  it('is reported even when a process that runs on holds it up for seconds', async () => {
    const container = await bench.prepare();
    const { interruption } = await run(container, 'sleep 4 >/dev/null 2>&1 & kill -PWR 1; sleep 60');
    expect(interruption).toContain('the container was asked to stop, and the engine shows no such request');
  });

  it('runs no further step, and its removal ends the running one', async () => {
    const container = await bench.prepare();
    const error = await lost(container, () => container.remove());
    expect(error.message).toContain('the agent removed the container');
    await expect(run(container, ':')).rejects.toThrow('the agent removed the container');
    const other = await bench.prepare();
    await lost(other, (id) => docker.getContainer(id).kill());
    await expect(run(other, ':')).rejects.toThrow(
      /the engine was asked to end the container \(signal (9|KILL|SIGKILL)\)/,
    );
  });
});

describe('an agent that dies', () => {
  const graceSeconds = 5;

  // Stops whatever comes, again and again, so that nothing lives that the main process could wait for.
  const HOSTILE = `kill -STOP 1; kill -KILL 1; trap "" INT TERM HUP; echo up
    while kill -CHLD 1; do for p in /proc/[0-9]*; do p=\${p#/proc/}; [ $p = $$ ] || kill -STOP $p; done; done 2>/dev/null`;

  it.each([
    ['bash', JOB_IMAGE, undefined],
    ['dash', JOB_IMAGE, 'rm $(command -v bash)'],
    ['busybox ash', BUSYBOX_IMAGE, undefined],
  ])(
    'takes its container along, even when a step as root stops and kills what it can (%s)',
    async (_, base, script) => {
      const image = await bench.derive(base, { script });
      const { id } = await orphan(HOSTILE, { image, labels: bench.labels, graceSeconds });
      await isGone(id);
    },
  );

  const BUSY = 'trap "" INT TERM HUP; i=0; while [ $((i += 1)) -lt';
  it.each([
    ['its signals', BUSYBOX_IMAGE, `${BUSY} 40 ]; do (while :; do kill -CHLD 1; done) & done; echo up; wait`],
    ['sessions to interrupt', JOB_IMAGE, `${BUSY} 1500 ]; do setsid sleep 300 & done; echo up; wait`],
  ])('takes its container along, even when a step keeps its guard busy with %s', async (_, image, script) => {
    const { id } = await orphan(script, { image, labels: bench.labels, graceSeconds });
    await isGone(id);
  });

  it.each([
    ['busybox', BUSYBOX_IMAGE, []],
    ['another user', JOB_IMAGE, ['USER job']],
  ])('takes its container along (%s)', async (_, base, changes) => {
    const image = await bench.derive(base, { changes });
    const { id, killed } = await orphan('echo up; sleep 300', { image, labels: bench.labels });
    await isGone(id);
    expect(performance.now() - killed).toBeLessThan(20_000);
  });

  // What docs/isolation.md says of a job that cheats its guard.
  it('leaves a container whose step holds the main process’s stdin open, until a sweep removes it', async () => {
    const script = 'trap "" INT TERM; exec 9>/proc/1/fd/0; echo up; while :; do sleep 0.1; done';
    const { id } = await orphan(script, { image: JOB_IMAGE, labels: bench.labels, graceSeconds });
    const graceMs = graceSeconds * 1000 + 2_000;
    const [container, network] = await bench.target.sweep(bench.labels, NEVER, { graceMs });
    expect(container).toContain(id.slice(0, 12));
    expect(network).toMatch(/^Removed network /);
    expect(await bench.containers()).toEqual([]);
  });

  it('takes its container along even when the step ignores everything', async () => {
    const script = 'trap "" INT TERM HUP; echo up; while :; do sleep 0.1; done';
    const { id, killed } = await orphan(script, { image: JOB_IMAGE, labels: bench.labels });
    await isGone(id);
    // The step first has its time to end gracefully.
    expect(performance.now() - killed).toBeGreaterThan((ORPHAN_GRACE_SECONDS - 2) * 1000);
  });
});
