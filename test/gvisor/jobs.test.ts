import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METADATA_ADDRESSES } from '../../src/executor/docker/container/network.ts';
import type { Containment } from '../../src/executor/docker/docker-executor.ts';
import { BUSYBOX_IMAGE, JOB_IMAGE } from '../support/docker/images.ts';
import { orphan } from '../support/docker/orphan.ts';
import { copyImage, type OwnEngine, startOwnEngine } from '../support/docker/own-engine.ts';
import { expectWholeJob } from '../support/docker/whole-job.ts';
import { NEVER, run, workbench } from '../support/docker/workbench.ts';
import { programPath } from '../support/script.ts';

const environment: Record<string, string> = {};
let own: OwnEngine;
const bench = workbench({ environment, docker: () => own.docker });

beforeAll(async () => {
  const runsc = await programPath('gvisor');
  own = await startOwnEngine({ flags: ['--add-runtime', `runsc=${runsc}`] });
  environment['DOCKER_HOST'] = own.url;
  for (const image of [JOB_IMAGE, BUSYBOX_IMAGE]) await copyImage(image, own.url);
});
afterAll(() => own.close());

describe('under gVisor', () => {
  const underGvisor = (image?: string, more: Containment = {}) =>
    bench.prepare(
      { ...(image !== undefined && { image }) },
      bench.newExecutor({ containment: { containerRuntime: 'runsc', ...more } }),
    );

  it.each([
    [JOB_IMAGE, 'bash'],
    [BUSYBOX_IMAGE, 'sh'],
  ])('a whole job runs in %s, in a kernel of its own', async (image, shell) => {
    const container = await underGvisor(image);
    expect((await run(container, 'uname -r', { shell })).output).toMatch(/gvisor/);
    expect(container.confinement).toMatchObject({
      runtime: 'runsc',
      engine: expect.arrayContaining(['seccomp default']),
    });
    await expectWholeJob(container, shell);
  });

  it('files and the environment file go in and out, for the user of the image alone', async () => {
    const image = await bench.derive(BUSYBOX_IMAGE, { changes: ['USER job'] });
    await copyImage(image, own.url);
    const files = [
      { path: '/PULUMI_ENV', mode: 0o600, content: '' },
      { path: "/mnt/a b/it's", mode: 0o640, content: "it's\nä\n\n" },
    ];
    const target = bench.newExecutor({ containment: { containerRuntime: 'runsc' } });
    const container = await bench.prepare({ image, files }, target);
    const script = `stat -c '%U %a' /PULUMI_ENV "/mnt/a b/it's"; cat "/mnt/a b/it's"; head -c 1000000 /dev/zero | tr '\\0' x >/PULUMI_ENV`;
    expect((await run(container, script, { shell: 'sh' })).output).toBe("job 600\njob 640\nit's\nä\n\n");
    expect(await container.readEnvironmentFile(NEVER)).toBe('x'.repeat(1_000_000));
    const read = async (change: string) => {
      await run(container, change, { shell: 'sh' });
      return container.readEnvironmentFile(NEVER);
    };
    await expect(read('head -c 60000 /dev/zero >>/PULUMI_ENV')).rejects.toThrow(/it has more than 1 MiB/);
  });

  it('the metadata addresses refuse, capabilities stay dropped, and memory is counted', async () => {
    const container = await underGvisor(BUSYBOX_IMAGE);
    const shell = { shell: 'sh' };
    for (const address of METADATA_ADDRESSES)
      expect((await run(container, `nc ${address} 80 </dev/null 2>&1`, shell)).output).toMatch(/refused/);
    const script = `ip address del ${METADATA_ADDRESSES[0]}/16 dev eth0; mount -t tmpfs none /mnt; grep -e CapBnd -e NoNew /proc/self/status`;
    expect((await run(container, script, shell)).output).toMatch(
      /not permitted\n.*denied.*\nCapBnd:\t00000000800000fb\nNoNewPrivs:\t1\n$/s,
    );
    await run(container, 'head -c 100000000 /dev/zero >/tmp/kept', shell);
    expect(await container.memory(NEVER)).toBeGreaterThan(100_000_000);
  });

  it('the container ends with its agent', async () => {
    const { id, killed } = await orphan('echo up; sleep 300', {
      image: BUSYBOX_IMAGE,
      labels: bench.labels,
      environment: { ...environment, RUNTIME: 'runsc' },
    });
    await expect.poll(() => bench.containers(), { timeout: 40_000 }).not.toContain(id);
    expect(performance.now() - killed).toBeLessThan(30_000);
  });
});
