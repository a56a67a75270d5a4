import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runName } from '../../../src/record/run-directory.ts';
import { stepClock, steppingClock } from '../../support/run/clock-step.ts';
import { SampleRun } from '../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';
import { openScene } from './scene.ts';

const DAY = 24 * 3_600_000;

it('a clock that is a month ahead removes no record as too old, a right one does', async () => {
  const { cloud, runs, start, enqueue } = await openScene();
  const folder = await temporaryDirectory();
  const records = [20, 2].map((days) => runName(Date.now() - days * DAY));
  for (const name of records) {
    const record = new SampleRun(join(runs, name));
    record.result();
    record.close();
  }
  stepClock(folder, 30 * DAY);
  const agent = start({ KEPT_RUNS_DAYS: '25' }, steppingClock(folder));
  const [first, second] = [enqueue('true', 'one'), enqueue('true', 'two')];
  await cloud.waitFor(() => second.endReason !== undefined, 60_000);
  expect([first.status, second.status]).toEqual(['succeeded', 'succeeded']);
  agent.child.kill('SIGTERM');
  await agent.ended;
  const after = await readdir(runs);
  expect(after).toEqual(expect.arrayContaining(records));
  // Its own are named by the clock that it had.
  expect(after.filter((name) => name > runName(Date.now() + 29 * DAY))).toHaveLength(2);
  stepClock(folder, 0);
  const right = start({ KEPT_RUNS_DAYS: '10' }, steppingClock(folder));
  enqueue('true', 'three');
  await expect.poll(() => readdir(runs), { timeout: 60_000 }).not.toContain(records[0]);
  expect(await readdir(runs)).toContain(records[1]);
  right.child.kill('SIGTERM');
  expect((await right.ended).code).toBe(0);
}, 180_000);
