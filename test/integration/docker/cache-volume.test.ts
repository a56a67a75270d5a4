import { randomBytes } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CACHE_LABEL } from '../../../src/executor/docker/container/cache-volume.ts';
import type { CacheVolume } from '../../../src/executor/executor.ts';
import { BUSYBOX_IMAGE, docker } from '../../support/docker/images.ts';
import { NEVER, run, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();
let cache: CacheVolume;
/** An image that runs as another user, who owns its `/kept`. */
let asUser: string;

beforeAll(async () => {
  asUser = await bench.derive(BUSYBOX_IMAGE, {
    script: 'mkdir -m 750 /kept && echo image >/kept/of-image && chown -R 1234:1234 /kept',
    changes: ['USER 1234:1234'],
  });
});
beforeEach(() => {
  cache = {
    name: `pulumi-runner-test-${randomBytes(6).toString('hex')}`,
    path: '/deep/er/cache',
    pool: 'acme/pool-1',
  };
});
afterEach(async () => {
  await docker
    .getVolume(cache.name)
    .remove()
    .catch(() => undefined);
});

/** Runs a job of one step; also returns what step 0 logged. */
async function job(script: string, more: Parameters<typeof bench.spec>[0] = {}) {
  const lines: string[] = [];
  const container = await bench.prepare({ image: BUSYBOX_IMAGE, cache, ...more }, bench.target, lines);
  const step = await run(container, script, { shell: 'sh' });
  await container.remove();
  return { ...step, lines };
}

async function volume() {
  return docker.getVolume(cache.name).inspect();
}

describe('a cache volume', () => {
  it('hands the files of one job to the next, and stays when they go', async () => {
    const first = await job(`echo provider >${cache.path}/plugin`);
    expect(first).toMatchObject({ code: 0, output: '' });
    expect(first.lines).toContain(`Volume ${cache.name} is at ${cache.path}.`);
    expect((await volume()).Labels).toEqual({ [CACHE_LABEL]: cache.pool });
    expect((await job(`cat ${cache.path}/plugin`)).output).toBe('provider\n');
    // A sweep by the run's labels must spare the volume.
    await bench.target.sweep(bench.labels, NEVER);
    expect((await job(`cat ${cache.path}/plugin`)).output).toBe('provider\n');
  });

  it('is writable for images with any user, in any order', async () => {
    expect(await job(`id -u; echo mine >${cache.path}/user`, { image: asUser })).toMatchObject({
      code: 0,
      output: '1234\n',
    });
    expect(await job(`cat ${cache.path}/user; echo mine >${cache.path}/root`)).toMatchObject({
      output: 'mine\n',
    });
    const again = `cat ${cache.path}/*; echo more >>${cache.path}/user; rm ${cache.path}/root 2>/dev/null || echo kept`;
    expect((await job(again, { image: asUser })).output).toBe('mine\nmine\nkept\n');
  });

  it('begins with what the image has there', async () => {
    cache = { ...cache, path: '/kept' };
    expect((await job('cat /kept/of-image; echo new >/kept/new', { image: asUser })).output).toBe('image\n');
    expect((await job('cat /kept/of-image /kept/new', { image: asUser })).output).toBe('image\nnew\n');
  });

  it("is not given to another pool's job, which goes without and says why", async () => {
    await job(`echo secret >${cache.path}/x`);
    cache = { ...cache, pool: 'acme/pool-2' };
    const { lines, output } = await job(`ls ${cache.path} 2>/dev/null || echo nothing`);
    expect(output).toBe('nothing\n');
    const warning = `The job runs without its cache volume: volume ${cache.name} is for acme/pool-1, and this agent serves acme/pool-2.`;
    expect(lines).toContain(warning);
    expect(bench.logged).toContain(`warning ${warning}`);
  });

  it('belongs to one pool only, even when agents of two make it at the same moment', async () => {
    const pools = ['acme/pool-1', 'acme/pool-2'];
    const jobs = await Promise.all(pools.map((pool) => job('exit 0', { cache: { ...cache, pool } })));
    expect(
      jobs.filter(({ lines }) => lines.includes(`Volume ${cache.name} is at ${cache.path}.`)),
    ).toHaveLength(1);
  });

  it("is never one of the host's own volumes", async () => {
    await docker.createVolume({ Name: cache.name });
    const { lines, output } = await job(`ls ${cache.path} 2>/dev/null || echo nothing`);
    expect(output).toBe('nothing\n');
    expect(lines).toContain(
      `The job runs without its cache volume: volume ${cache.name} was not made for jobs: it lacks the label pulumi-runner.cache=acme/pool-1.`,
    );
  });

  it('never takes in what the agent puts into the container', async () => {
    const environmentFile = `${cache.path}/env`;
    const more = { environmentFile, files: [{ path: environmentFile, mode: 0o600, content: '' }] };
    const { lines } = await job('true', more);
    expect(lines).toContain(
      `The job runs without its cache volume: ${environmentFile} is in ${cache.path}, and would outlive the job.`,
    );
    await expect(volume()).rejects.toThrow(/no such volume/i);
  });
});
