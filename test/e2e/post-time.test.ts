import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sharedSteady } from '../../src/base/clock.ts';
import { enqueue, useStage } from '../support/e2e/stage.ts';

/* Only with jobs in Docker: a pod would continue its step for the pod's grace period. */
const stage = useStage();

it('a cancelled run is published within GitHub’s time limit, even if other steps used up most of it and the agent is still busy', async () => {
  enqueue(stage, { 'pulumi update': "trap '' INT TERM; echo updating; while :; do sleep 1; done" });
  const job = await stage.job({ 'cancel-grace-period': '3m' });
  const main = await job.startMain();
  await main.waitForConsole(/^updating$/m, 60_000);
  await main.cancel();
  const { outputs } = await main.exited;
  // As if steps with `if: always()` had run until 45 s before the end of the CI job.
  const file = join(outputs['run-directory'] ?? '', '../state.json');
  const state = JSON.parse(await readFile(file, 'utf8'));
  expect(sharedSteady() - state.cancelledAt).toBeLessThan(30_000);
  await writeFile(file, JSON.stringify({ ...state, cancelledAt: sharedSteady() - 240_000 }));
  const post = await job.post();
  expect(post?.conclusion).toBe('success');
  expect(post?.durationMs).toBeLessThan(45_000);
  expect(post?.summary).toMatch(/^<h2>/);
  const [artifact] = stage.github.artifacts.list();
  expect(artifact?.finalized).toBe(true);
  expect(await job.cleanUpOrphans()).toEqual([]);
});
