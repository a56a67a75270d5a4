import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { relayPlace } from '../../../src/engines/pulumi/bridge.ts';
import { Engine } from '../../../src/executor/docker/engine/engine.ts';
import { type EngineService, startEngineService } from '../../support/docker/engine-service.ts';
import { BUSYBOX_IMAGE } from '../../support/docker/images.ts';
import { copyImage } from '../../support/docker/own-engine.ts';
import { expectWholeJob } from '../../support/docker/whole-job.ts';
import { NEVER, workbench } from '../../support/docker/workbench.ts';

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

it('a whole job runs on an engine without root', async () => {
  expect((await service.docker.info()).SecurityOptions).toContain('name=rootless');
  await expectWholeJob(await bench.prepare({ image: BUSYBOX_IMAGE }));
  expect(await bench.containers()).toEqual([]);
});

it('no relay stands before an engine without root', async () => {
  const engine = new Engine(environment);
  onTestFinished(() => engine.close());
  const config = { deployTarget: 'docker', envForwardAllowlist: [] } as const;
  expect(await relayPlace({ config, engine, environment, signal: NEVER })).toEqual({
    off: 'the Docker engine is rootless',
  });
});
