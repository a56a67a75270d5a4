import { existsSync, globSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runResultSchema } from '../../src/record/schema.ts';
import type { BlobStore } from '../emulators/github/azurite.ts';
import type { PhaseHandle, PhaseResult } from '../emulators/github/phase.ts';
import { findByEnvironment } from '../emulators/github/process-tree.ts';
import type { JobRunner } from '../emulators/github/runner.ts';
import type { Deployment } from '../emulators/pulumi-cloud/deployment.ts';
import { docker } from '../support/docker/images.ts';
import { HELD_STAGES, type Held, type HeldStage } from '../support/e2e/held-stages.ts';
import { leavesAtOnce, until } from '../support/e2e/moments.ts';
import {
  agentPid,
  closeStage,
  definition,
  onStage,
  openStage,
  type Stage,
  startBlobStore,
  statuses,
} from '../support/e2e/stage.ts';

/** Runs that only wait cost little: the more there are at once, the sooner all of them are over. */
vi.setConfig({ maxConcurrency: 5, testTimeout: 120_000 });

/** Far less than the window of post, and more than a busy machine needs. */
const POST_MS = 60_000;

/** Steps of an engine's shape: it works until it is interrupted, then writes its state and frees its lock. */
const engine = (seconds: number) =>
  `trap 'echo interrupted; sleep 1; echo state written, lock freed; exit 1' INT; echo updating; sleep ${seconds}; echo done`;
/** It is the step that lasts only where a step is what is ended. */
const updateOf = (name: HeldStage, seconds: number) => engine(name === 'in a step' ? seconds : 0);
const ORDERLY_END = 'interrupted\nstate written, lock freed\n';

let blobs: BlobStore;
beforeAll(async () => {
  blobs = await startBlobStore();
});
afterAll(() => blobs.stop());

interface Scene extends Omit<Held, 'job'> {
  readonly stage: Stage;
  readonly job: JobRunner;
  readonly main: PhaseHandle;
  readonly deployment: Deployment | undefined;
}

/** Runs a job up to a stage, hands it over, and holds it to what no run may leave. */
async function at(name: HeldStage, update: string, play: (scene: Scene) => Promise<void>): Promise<void> {
  const stage = await openStage({ blobStore: blobs });
  const temporary = await mkdtemp(join(tmpdir(), 'cancel-and-crash-'));
  const held: Held = HELD_STAGES[name]({ stage, update });
  try {
    const deployment = held.job === undefined ? undefined : stage.enqueue(held.job);
    const job = await stage.job(held.inputs, { TMPDIR: temporary });
    const main = await job.startMain();
    await held.reached();
    await play({ ...held, stage, job, main, deployment });
    expect(await job.cleanUpOrphans()).toEqual([]);
    expect(await readdir(temporary)).toEqual([]);
    // A claim is told its end by its steps, each step at most two statuses, whoever ended the run.
    expect(deployment?.endReason).toBe(deployment === undefined ? undefined : 'steps');
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await closeStage(stage);
  }
}

/** The run directory of a job's only run. */
function runDirectory(job: JobRunner): string {
  const temporary = join(job.workspace, '../../../_temp');
  const [found] = globSync('pulumi-runner-*/run', { cwd: temporary });
  return join(temporary, found ?? '');
}

const STOPPED: Readonly<Record<HeldStage, readonly string[][] | undefined>> = {
  waiting: undefined,
  'in a step': [
    ['running', 'succeeded'],
    ['running', 'succeeded'],
    ['running', 'failed'],
  ],
  // Every step had ended by then.
  uploading: Array(3).fill(['running', 'succeeded']),
};
const STAGES = Object.keys(STOPPED) as HeldStage[];

/** Post takes over: the run is ended in order, told, published, and nothing of it is left. */
async function expectOrderlyEnd(name: HeldStage, scene: Scene, ended: PhaseResult): Promise<void> {
  const { stage, job, deployment } = scene;
  const post = await job.startPost();
  if (post === undefined) throw new Error('the action has no post phase');
  const published = await post.exited;
  expect(published).toMatchObject({ conclusion: 'success', signal: null });
  expect(published.durationMs).toBeLessThan(POST_MS);
  const outcome = name === 'uploading' ? 'succeeded' : 'interrupted';
  if (deployment !== undefined) {
    expect(statuses(deployment)).toEqual(STOPPED[name]);
    expect(deployment.status).toBe(outcome === 'succeeded' ? 'succeeded' : 'failed');
  }
  const finalized = stage.github.artifacts.list().filter((artifact) => artifact.finalized);
  expect(finalized).toHaveLength(1);
  const files = await stage.github.artifacts.download(finalized[0]!.name);
  expect(runResultSchema.parse(JSON.parse(String(files.get('run.json')))).outcome).toBe(outcome);
  expect([...files.keys()]).toEqual(expect.arrayContaining(['agent.log', 'events.ndjson', 'report.html']));
  if (name === 'in a step') expect(String(files.get('steps/02-pulumi-update.log'))).toContain(ORDERLY_END);
  expect(published.summary).toMatch(outcome === 'succeeded' ? /Steps/ : /interrupted/);
  const { 'private-directory': secret = '' } = ended.state;
  expect(secret).not.toBe('');
  expect(existsSync(secret)).toBe(false);
}

describe.concurrent('SIGINT', () => {
  it.each(STAGES)('while the run is %s: main is gone within 2 s, post ends it in order', (name) =>
    at(name, updateOf(name, 120), async (scene) => {
      const ended = await leavesAtOnce(scene.main, () => scene.main.kill('SIGINT'));
      expect(ended.signal).toBeNull();
      expect(ended.outputs).toMatchObject({ outcome: name === 'uploading' ? 'succeeded' : 'interrupted' });
      await expectOrderlyEnd(name, scene, ended);
    }),
  );
});

describe.concurrent('a runner that dies with main, and no post', () => {
  it.each(['waiting', 'in a step'] as const)(
    'while the run is %s: what was begun is finished and told, nothing more is claimed',
    (name) =>
      at(name, updateOf(name, 2), async ({ job, main, deployment, stage }) => {
        main.kill('SIGKILL');
        await main.exited;
        await until(async () => (await findByEnvironment('RUNNER_TRACKING_ID', job.trackingId)).length === 0, 60_000);
        const directory = runDirectory(job);
        const result = runResultSchema.parse(JSON.parse(await readFile(join(directory, 'run.json'), 'utf8')));
        if (deployment === undefined) {
          expect(result).toMatchObject({ outcome: 'interrupted', steps: [] });
          expect(await readFile(join(directory, 'agent.log'), 'utf8')).toContain('The end of standard input');
        } else {
          expect(result.outcome).toBe('succeeded');
          expect(statuses(deployment)).toEqual(Array(3).fill(['running', 'succeeded']));
          expect(deployment.steps[2]?.lines.map(({ l }) => l).join('')).toBe('updating\ndone\n');
        }
        expect(stage.github.artifacts.list().filter(({ finalized }) => finalized)).toEqual([]);
      }),
  );
});

describe('what takes more than main along', () => {
  it('the end of runner, main and agent at once: the next run on the machine removes what is left', () =>
    onStage({ blobStore: blobs }, async (stage) => {
      stage.enqueue(definition({ 'pulumi update': engine(120) }));
      const dead = await stage.job();
      const main = await dead.startMain();
      await main.waitForConsole(/^updating$/m, 60_000);
      // It would end by itself: one that can't is what is left for others.
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

  it('the runner’s next job, which empties RUNNER_TEMP: the update goes on, and Pulumi Cloud has all of it', () =>
    onStage({ blobStore: blobs }, async (stage) => {
      const deployment = stage.enqueue(
        definition({ 'pulumi update': engine(2), 'Post-run command': 'echo behind; exit 0' }),
      );
      const job = await stage.job();
      const main = await job.startMain();
      await main.waitForConsole(/^updating$/m, 60_000);
      main.kill('SIGKILL');
      await main.exited;
      await rm(join(runDirectory(job), '../..'), { recursive: true, force: true });
      await until(async () => (await findByEnvironment('RUNNER_TRACKING_ID', job.trackingId)).length === 0, 60_000);
      expect(statuses(deployment)).toEqual(Array(3).fill(['running', 'succeeded']));
      expect(deployment.steps.map(({ lines }) => lines.map(({ l }) => l).join('')).slice(1)).toEqual([
        'updating\ndone\n',
        'behind\n',
      ]);
    }));
});
