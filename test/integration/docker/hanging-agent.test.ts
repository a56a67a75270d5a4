import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { folder, jobOf } from '../../support/agent/claimed-run.ts';
import { docker, JOB_IMAGE, makeImages } from '../../support/docker/images.ts';
import type { Start } from './hanging-agent.ts';

const LABEL = 'pulumi-runner-test.hanging-agent';
/** Milliseconds for what a loaded machine may take its time for. */
const PATIENCE_MS = 60_000;

beforeAll(makeImages);

it('an agent whose main thread hangs ends, and its step and container with it', {
  timeout: 3 * PATIENCE_MS,
}, async () => {
  const cloud = await PulumiCloud.start();
  onTestFinished(() => cloud.stop());
  const labels = { [LABEL]: randomBytes(6).toString('hex') };
  const containers = () => docker.listContainers({ all: true, filters: { label: [`${LABEL}=${labels[LABEL]}`] } });
  const script = 'trap "exit 130" INT; echo up; while :; do sleep 0.1; done';
  const deployment = cloud.enqueue({ project: 'web', stack: 'dev', poolId: 'pool-1', job: jobOf(script) });
  const agent = fork(join(import.meta.dirname, 'hanging-agent.ts'), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = once(agent, 'exit');
  onTestFinished(async () => {
    agent.kill('SIGKILL');
    await ended;
  });
  const token = cloud.createStaticToken('pool-1');
  agent.send({ url: cloud.url, token, directory: await folder(), image: JOB_IMAGE, labels } satisfies Start);
  await cloud.waitFor(() => deployment.steps[1]?.lines.some(({ l }) => l === 'up\n') === true, PATIENCE_MS);
  expect(await containers()).toHaveLength(1);
  // Longer than it may stand still: an agent that works is left alone.
  await delay(7_000);
  expect(agent.exitCode).toBeNull();
  agent.send('hang');
  expect(await ended).toEqual([null, 'SIGKILL']);
  while ((await containers()).length > 0) await delay(100);
});
