import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DockerExecutorOptions } from '../../../src/executor/docker/docker-executor.ts';
import type { JobContainer } from '../../../src/executor/executor.ts';
import { type EngineService, startEngineService } from '../../support/docker/engine-service.ts';
import { BUSYBOX_IMAGE } from '../../support/docker/images.ts';
import { copyImage } from '../../support/docker/own-engine.ts';
import { expectWholeJob } from '../../support/docker/whole-job.ts';
import { workbench } from '../../support/docker/workbench.ts';
import { proxyAddressOf } from '../../support/pulumi-agent/proxy-address.ts';

const SCRIPT = join(import.meta.dirname, '../../../scripts/rootless-docker');
const environment: Record<string, string> = {};
let folder: string;
let service: EngineService;
const bench = workbench({ environment, docker: () => service.docker });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rootless-'));
  service = await startEngineService([SCRIPT, 'serve', folder], join(folder, 'run', 'docker.sock'));
  environment['DOCKER_HOST'] = service.url;
  await copyImage(BUSYBOX_IMAGE, service.url);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

function prepare(lines: string[], options: Partial<DockerExecutorOptions> = {}): Promise<JobContainer> {
  return bench.prepare({ image: BUSYBOX_IMAGE }, bench.newExecutor(options), lines);
}

it('a whole job runs on a rootless engine', async () => {
  expect((await service.docker.info()).SecurityOptions).toContain('name=rootless');
  const lines: string[] = [];
  const container = await prepare(lines);
  expect(lines.filter((line) => /warn/i.test(line))).toEqual([]);
  await expectWholeJob(container);
  expect(await bench.containers()).toEqual([]);
});

it('no relay can stand in front of a rootless engine', async () => {
  expect(await proxyAddressOf(environment)).toEqual({ obstacle: 'the Docker engine is rootless' });
});

it('a job warns of each limit that a rootless engine does not enforce', async () => {
  const { MemoryLimit, CpuCfsQuota, PidsLimit } = await service.docker.info();
  const lines: string[] = [];
  const containment = { memoryBytes: 64 * 1024 ** 2, numCpus: 1, pidsLimit: 50 };
  const container = await prepare(lines, { containment });
  await container.remove();
  const dropped = Object.entries({ memory: MemoryLimit, num_cpus: CpuCfsQuota, pids_limit: PidsLimit });
  expect(lines.filter((line) => line.startsWith('Warning: '))).toEqual(
    dropped
      .filter(([, kept]) => kept === false)
      .map(
        ([key]) =>
          `Warning: this engine does not support that limit, so ${key} has no effect. Rootless engines need cgroup v2 for it.`,
      ),
  );
});
