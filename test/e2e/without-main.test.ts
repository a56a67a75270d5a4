import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runResultSchema } from '../../src/record/schema.ts';
import type { PhaseHandle } from '../emulators/github/phase.ts';
import { findByEnvironment } from '../emulators/github/process-tree.ts';
import type { JobRunner } from '../emulators/github/runner.ts';
import { until } from '../support/e2e/moments.ts';
import { ENGINE, enqueue, HELD, logOf, ORDERLY_END, statuses, useStage } from '../support/e2e/stage.ts';

/* The death of main, or of the runner that started it, while the agent lives. Only with jobs in Docker. */

const LONG = { timeout: 120_000 };
const stage = useStage();

/** The path of a file of the only run, by a pattern below RUNNER_TEMP's folder of it. */
function fileOf(job: JobRunner, path: string): string {
  const temporary = join(job.workspace, '../../../_temp');
  return join(temporary, globSync(`pulumi-runner-*/${path}`, { cwd: temporary })[0] ?? 'none');
}

const resultOf = async (job: JobRunner) =>
  runResultSchema.parse(JSON.parse(await readFile(fileOf(job, 'run/run.json'), 'utf8')));

const processesOf = (job: JobRunner) => findByEnvironment('RUNNER_TRACKING_ID', job.trackingId);

/** Ends a phase's runner as SIGKILL does, and waits for the end of what it started. */
async function killWorker(phase: PhaseHandle | undefined): Promise<void> {
  phase?.kill('SIGKILL');
  await phase?.exited;
}

describe('main that dies alone', () => {
  it(
    'leaves the update to its agent; post shows the rest, renews the ID token and publishes once',
    LONG,
    async () => {
      const deployment = enqueue(stage, { 'pulumi update': HELD });
      const { job, main } = await stage.updating();
      // Killed between showing a line of step 1 and saving that, main leaves the line to be shown again.
      const saved = /"index":1,[^}]*"offset":[1-9]/;
      await until(() => saved.test(readFileSync(fileOf(job, 'state.json'), 'utf8')));
      const token = () => readFileSync(fileOf(job, 'private/id-token'), 'utf8');
      const before = token();
      main.kill('SIGKILL');
      const ended = await main.exited;
      expect(ended.outputs).not.toHaveProperty('outcome');
      const post = await job.startPost();
      await post?.waitForConsole(
        /outlived its step and continues\. Cancelling the CI job does not end this wait/,
        30_000,
      );
      await until(() => token() !== before);
      await stage.release();
      const done = await post?.exited;
      expect(done?.conclusion).toBe('success');
      const raw = String(ended.raw.stdout) + String(done?.raw.stdout);
      expect(raw.match(/^updat(?:ing|ed)$/gm)).toEqual(['updating', 'updated']);
      expect(statuses(deployment)).toEqual(Array(2).fill(['running', 'succeeded']));
      expect(deployment).toMatchObject({ status: 'succeeded', endReason: 'steps' });
      expect((await stage.onlyArtifact()).result).toMatchObject({ outcome: 'succeeded', reported: true });
      expect(done?.summary.match(/^<h2>/gm)).toHaveLength(1);
      expect(done?.annotations.map(({ message }) => message)).toEqual([
        expect.stringMatching(
          /^The step's process ended before it had published its run, whose outcome is succeeded\./,
        ),
      ]);
      expect(await job.cleanUpOrphans()).toEqual([]);
    },
  );

  it('hung, so that it recorded no cancel, leaves an agent that post stops all the same', LONG, async () => {
    const deployment = enqueue(stage, { 'pulumi update': ENGINE });
    const { job, main } = await stage.updating();
    main.kill('SIGSTOP');
    await main.cancel();
    expect((await main.exited).signal).toBe('SIGKILL');
    expect(JSON.parse(readFileSync(fileOf(job, 'state.json'), 'utf8'))).not.toHaveProperty('cancelledAt');
    const post = await job.post();
    expect(post?.conclusion).toBe('success');
    expect(logOf(deployment, 1)).toContain(ORDERLY_END);
    expect((await stage.onlyArtifact()).result).toMatchObject({ outcome: 'interrupted' });
    expect(await job.cleanUpOrphans()).toEqual([]);
  });
});

describe('a runner that dies', () => {
  it('while its agent waits takes it along within seconds, and nothing is claimed', LONG, async () => {
    const job = await stage.job({ 'max-wait': '5m' });
    const main = await job.startMain({ worker: true });
    await main.waitForConsole(/Waiting for a deployment/, 60_000);
    await killWorker(main);
    await until(async () => (await processesOf(job)).length === 0, 60_000);
    const deployment = enqueue(stage, { 'pulumi update': 'echo never' });
    expect(await resultOf(job)).toMatchObject({ outcome: 'interrupted', steps: [] });
    expect(deployment.claimedBy).toBeUndefined();
  });

  it('while post waits takes post along, and the agent finishes the update', LONG, async () => {
    const deployment = enqueue(stage, { 'pulumi update': HELD });
    const { job, main } = await stage.updating();
    main.kill('SIGKILL');
    await main.exited;
    const post = await job.startPost({ worker: true });
    await post?.waitForConsole(/outlived its step and continues/, 30_000);
    await killWorker(post);
    await until(async () => (await processesOf(job)).length === 1, 10_000);
    await stage.release();
    await until(async () => (await processesOf(job)).length === 0, 60_000);
    expect(statuses(deployment)).toEqual(Array(2).fill(['running', 'succeeded']));
    expect(await resultOf(job)).toMatchObject({ outcome: 'succeeded', reported: true });
  });
});
