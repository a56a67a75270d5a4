import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runResultSchema } from '../../src/record/schema.ts';
import type { BlobStore } from '../emulators/github/azurite.ts';
import {
  ASH_IMAGE,
  AT_WORK,
  aftermathOf,
  GROWING,
  orderly,
  SHELLS_IMAGE,
  type Shape,
  workOf,
} from '../integration/interrupt/tofu.ts';
import { docker } from '../support/docker/images.ts';
import { startAgent } from '../support/e2e/agent-process.ts';
import { until } from '../support/e2e/moments.ts';
import {
  definition,
  logOf,
  onStage,
  POOL,
  type Stage,
  startBlobStore,
  statuses,
} from '../support/e2e/stage.ts';
import { scriptOutput } from '../support/script.ts';

vi.setConfig({ maxConcurrency: 4, testTimeout: 180_000 });

/** Where the volume is mounted, which outlives a job's container. */
const WORK = '/work';
const AT_WORK_MS = 90_000;

let blobs: BlobStore;
beforeAll(async () => {
  [blobs] = await Promise.all([startBlobStore(), scriptOutput('shells-image', [])]);
}, 600_000);
afterAll(() => blobs.stop());

/** Interrupts a run as soon as `atWork` resolves, and checks the end that the run itself reports. */
type Cause = (stage: Stage, volume: string, atWork: () => Promise<unknown>) => Promise<void>;

/** The action in a CI job: SIGINT to main, then post. */
const cancelledJob: Cause = async (stage, volume, atWork) => {
  const job = await stage.job({ 'cache-volume': `${volume}=${WORK}` });
  const main = await job.startMain();
  await atWork();
  await main.cancel();
  const ended = await main.exited;
  expect(ended).toMatchObject({ conclusion: 'cancelled', outputs: { outcome: 'interrupted' } });
  expect(await job.post()).toMatchObject({ conclusion: 'success' });
  expect((await stage.onlyArtifact()).result).toMatchObject({ outcome: 'interrupted', exitCode: 7 });
  expect(await job.cleanUpOrphans()).toEqual([]);
};

/** The agent as a command that must end now: the first SIGTERM lets a job finish, the second interrupts it. */
const sigterm: Cause = (stage, volume, atWork) =>
  byCommand(stage, volume, async ({ child, said, ended }, runDirectory) => {
    await atWork();
    child.kill('SIGTERM');
    await said(/SIGTERM: a running job is finished/);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(7);
    const result = JSON.parse(await readFile(join(runDirectory, 'run.json'), 'utf8'));
    expect(runResultSchema.parse(result)).toMatchObject({ outcome: 'interrupted', exitCode: 7 });
  });

/** A limit of the agent that interrupts the job. */
const softLimit =
  (settings: Readonly<Record<string, string>>, code: string): Cause =>
  (stage, volume, atWork) =>
    byCommand(
      stage,
      volume,
      async ({ ended }, runDirectory) => {
        await atWork();
        expect((await ended).code).toBe(1);
        const result = JSON.parse(await readFile(join(runDirectory, 'run.json'), 'utf8'));
        expect(runResultSchema.parse(result)).toMatchObject({
          outcome: 'failed',
          code,
          exitCode: 1,
          notices: [],
        });
      },
      settings,
    );

/** Starts the agent for one job, and kills it after `play`. */
async function byCommand(
  stage: Stage,
  volume: string,
  play: (agent: ReturnType<typeof startAgent>, runDirectory: string) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'interrupted-engine-'));
  const runDirectory = join(home, 'run');
  const agent = startAgent({
    home,
    arguments: ['--single-run', '--label', stage.label],
    environment: {
      PULUMI_AGENT_TOKEN: stage.cloud.createStaticToken(POOL.id),
      PULUMI_AGENT_SERVICE_URL: stage.cloud.url,
      // The cache volume belongs to this organization and pool.
      PULUMI_AGENT_ORGANIZATION_NAME: 'acme',
      PULUMI_AGENT_RUNNER_POOL_ID: POOL.id,
      PULUMI_AGENT_PULL_IMAGE: 'false',
      PULUMI_AGENT_HTTP_SERVER_PORT: '0',
      PULUMI_AGENT_RUN_DIRECTORY: runDirectory,
      PULUMI_AGENT_CACHE_VOLUME: `${volume}=${WORK}`,
      ...settings,
    },
  });
  try {
    await play(agent, runDirectory);
  } finally {
    agent.child.kill('SIGKILL');
    await agent.ended;
    await rm(home, { recursive: true, force: true });
  }
}

/** The shell that runs OpenTofu, and how. */
interface Engine {
  readonly image: string;
  readonly shell: string;
  readonly shape: Shape;
  /** What OpenTofu does during its update. */
  readonly work?: string;
}

/** Interrupts one run during an update, then applies again in another: the two containers share only a volume. */
function twice(cause: Cause, { image, shell, shape, work }: Engine): Promise<void> {
  const volume = `pulumi-runner-test-${randomBytes(6).toString('hex')}`;
  const job = (run: string) => definition({ 'tofu apply': run }, { image: { reference: image }, shell });
  return onStage({ blobStore: blobs }, async (stage) => {
    try {
      const first = stage.enqueue(job(workOf(shape, shell, WORK, work)));
      const atWork = () =>
        until(() => {
          if (first.endReason !== undefined) throw new Error(`it ended early: ${logOf(first, 1)}`);
          return logOf(first, 1).includes(AT_WORK);
        }, AT_WORK_MS);
      await cause(stage, volume, atWork);
      expect(statuses(first)).toEqual([
        ['running', 'succeeded'],
        ['running', 'failed'],
      ]);
      expect(first).toMatchObject({ status: 'failed', endReason: 'steps' });
      expect(stage.objectsLeft()).toEqual([]);
      const second = stage.enqueue(job(aftermathOf([shape], WORK)));
      await byCommand(stage, volume, async ({ ended }) => {
        const { code, stderr } = await ended;
        expect(code, stderr).toBe(0);
      });
      expect(logOf(second, 1)).toBe(orderly([shape]));
      expect(second.status).toBe('succeeded');
    } finally {
      await remove(volume);
    }
  });
}

/** Removes the volume; retries while the Docker engine is still removing a container that uses it. */
async function remove(volume: string): Promise<void> {
  await until(() =>
    docker
      .getVolume(volume)
      .remove()
      .then(() => true)
      .catch(({ statusCode }: { statusCode?: number }) => statusCode === 404),
  );
}

// The interrupt's own tests cover every shell and shape.
describe.concurrent('an update writes its state, frees its lock and can be applied again when interrupted', () => {
  it('by a cancelled CI job', () =>
    twice(cancelledJob, { image: SHELLS_IMAGE, shell: 'bash', shape: 'child' }));

  it('by SIGTERM to the agent', () => twice(sigterm, { image: ASH_IMAGE, shell: 'sh', shape: 'pipe' }));

  it('by soft_timeout', () =>
    twice(softLimit({ PULUMI_AGENT_SOFT_TIMEOUT: '30s' }, 'PRA-JOB-06'), {
      image: SHELLS_IMAGE,
      shell: 'bash',
      shape: 'child',
    }));

  it('by memory_soft_limit', () =>
    twice(softLimit({ PULUMI_AGENT_MEMORY: '512Mi' }, 'PRA-JOB-07'), {
      image: SHELLS_IMAGE,
      shell: 'bash',
      shape: 'pipe',
      work: GROWING,
    }));
});
