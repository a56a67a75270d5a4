import { existsSync, globSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runResultSchema } from '../../src/record/schema.ts';
import type { BlobStore } from '../emulators/github/azurite.ts';
import type { PhaseHandle } from '../emulators/github/phase.ts';
import { findByEnvironment } from '../emulators/github/process-tree.ts';
import type { JobRunner } from '../emulators/github/runner.ts';
import { docker } from '../support/docker/images.ts';
import { leavesAtOnce, until } from '../support/e2e/moments.ts';
import {
  agentPid,
  ENGINE,
  enqueue,
  HELD,
  logOf,
  onStage,
  type Stage,
  startBlobStore,
  statuses,
} from '../support/e2e/stage.ts';

/** Waiting runs cost little, so many at once finish sooner. */
vi.setConfig({ maxConcurrency: 5, testTimeout: 120_000 });

/** Far less than post's window, and more than a busy machine needs. */
const POST_MS = 60_000;

let blobs: BlobStore;
beforeAll(async () => {
  blobs = await startBlobStore();
});
afterAll(() => blobs.stop());

interface Scene {
  readonly stage: Stage;
  readonly job: JobRunner;
  readonly main: PhaseHandle;
}

/** Plays with a CI job on a separate stage, then checks that it left no process and no temporary file. */
function withJob(inputs: Record<string, string>, play: (scene: Scene) => Promise<void>): Promise<void> {
  return onStage({ blobStore: blobs }, async (stage) => {
    const temporary = await mkdtemp(join(tmpdir(), 'cancel-and-crash-'));
    try {
      const job = await stage.job(inputs, { TMPDIR: temporary });
      await play({ stage, job, main: await job.startMain() });
      expect(await job.cleanUpOrphans()).toEqual([]);
      expect(await readdir(temporary)).toEqual([]);
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  });
}

const polled = ({ cloud }: Stage) =>
  cloud.waitFor(({ requests }) => requests.some(({ path }) => path === '/api/deployments/poll'), 60_000);

/** The directory of the CI job's only run. */
function runDirectory(job: JobRunner): string {
  const temporary = join(job.workspace, '../../../_temp');
  const [found] = globSync('pulumi-runner-*/run', { cwd: temporary });
  return join(temporary, found ?? '');
}

/** Resolves when no process of the CI job is left. */
const allGone = (job: JobRunner) =>
  until(async () => (await findByEnvironment('RUNNER_TRACKING_ID', job.trackingId)).length === 0, 60_000);

/** Has post publish the run that main left. Returns the summary and the result. */
async function published({ stage, job }: Scene) {
  const post = await job.post();
  expect(post).toMatchObject({ conclusion: 'success', signal: null });
  expect(post?.durationMs).toBeLessThan(POST_MS);
  const finalized = stage.github.artifacts.list().filter((artifact) => artifact.finalized);
  expect(finalized).toHaveLength(1);
  const files = await stage.github.artifacts.download(finalized[0]!.name);
  expect([...files.keys()]).toEqual(expect.arrayContaining(['agent.log', 'events.ndjson', 'report.html']));
  return { summary: post?.summary, result: runResultSchema.parse(JSON.parse(String(files.get('run.json')))) };
}

// stopping.test.ts has the interrupt during a step.
describe.concurrent('SIGINT', () => {
  it('while the run waits ends main within 2 s, and post ends the run gracefully', () =>
    withJob({ 'max-wait': '5m' }, async (scene) => {
      await polled(scene.stage);
      const ended = await leavesAtOnce(scene.main, () => scene.main.kill('SIGINT'));
      expect(ended).toMatchObject({ signal: null, outputs: { outcome: 'interrupted' } });
      const { result, summary } = await published(scene);
      expect(result).toMatchObject({ outcome: 'interrupted', steps: [] });
      expect(summary).toContain('interrupted');
      expect(existsSync(ended.state['private-directory'] ?? '/')).toBe(false);
    }));

  it('while main uploads ends main within 2 s, and post publishes', () =>
    withJob({}, async (scene) => {
      const { artifacts } = scene.stage.github;
      artifacts.faults.inject('FinalizeArtifact', { kind: 'stall' });
      const deployment = enqueue(scene.stage, { 'pulumi update': 'echo updated' });
      await until(() => artifacts.calls.includes('FinalizeArtifact'), 60_000);
      const ended = await leavesAtOnce(scene.main, () => scene.main.kill('SIGINT'));
      expect(ended).toMatchObject({ signal: null, outputs: { outcome: 'succeeded' } });
      const { result, summary } = await published(scene);
      expect(result.outcome).toBe('succeeded');
      expect(summary).toContain('pulumi update');
      expect(statuses(deployment)).toEqual(Array(2).fill(['running', 'succeeded']));
    }));
});

it('a waiting run whose runner and main die, without a post step, claims nothing more', () =>
  withJob({ 'max-wait': '5m' }, async ({ stage, job, main }) => {
    await polled(stage);
    main.kill('SIGKILL');
    await main.exited;
    await allGone(job);
    const result = JSON.parse(await readFile(join(runDirectory(job), 'run.json'), 'utf8'));
    expect(runResultSchema.parse(result)).toMatchObject({ outcome: 'interrupted', steps: [] });
    expect(await readFile(join(runDirectory(job), 'agent.log'), 'utf8')).toContain(
      'The end of standard input',
    );
  }));

describe('when more than main is lost', () => {
  it('the next run on the machine removes what a runner, main and agent left when they died together', () =>
    onStage({ blobStore: blobs }, async (stage) => {
      enqueue(stage, { 'pulumi update': ENGINE });
      const { job: dead, main } = await stage.updating();
      // Paused, as the container would otherwise end by itself and leave nothing to the next run.
      const [container = ''] = stage.objectsLeft();
      await docker.getContainer(container).pause();
      const agent = await agentPid(main);
      main.kill('SIGKILL');
      process.kill(agent, 'SIGKILL');
      await main.exited;
      const next = await stage.job({ 'max-wait': '60s' });
      const waiting = await next.startMain();
      await until(() => stage.objectsLeft().length === 0, 60_000);
      waiting.kill('SIGINT');
      expect((await next.post())?.conclusion).toBe('success');
      expect([...(await dead.cleanUpOrphans()), ...(await next.cleanUpOrphans())]).toEqual([]);
    }));

  it('the update continues even if the runner’s next job empties RUNNER_TEMP, and Pulumi Cloud gets all of it', () =>
    onStage({ blobStore: blobs }, async (stage) => {
      const deployment = enqueue(stage, {
        'pulumi update': HELD,
        'Post-run command': 'echo behind; exit 0',
      });
      const { job, main } = await stage.updating();
      main.kill('SIGKILL');
      await main.exited;
      await rm(join(runDirectory(job), '../..'), { recursive: true, force: true });
      await stage.release();
      await allGone(job);
      expect(statuses(deployment)).toEqual(Array(3).fill(['running', 'succeeded']));
      expect(logOf(deployment, 1)).toBe('updating\nupdated\n');
      expect(logOf(deployment, 2)).toBe('behind\n');
    }));
});
