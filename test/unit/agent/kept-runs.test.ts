import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KeptRuns } from '../../../src/agent/kept-runs.ts';
import { isRunDirectoryName, runDirectories } from '../../../src/agent/run-directories.ts';
import { processSpace } from '../../../src/record/owner.ts';
import { folder, jobOf } from './claimed-run.ts';
import { agentOf } from './cloud-agent.ts';

it('a lasting agent keeps a number of ended runs, and touches nothing but the older ones', async () => {
  const base = await folder();
  const lines: string[] = [];
  const log = (level: string, message: string) => lines.push(`${level}: ${message}`);
  const { agent, cloud, enqueue, send } = await agentOf({
    config: { single_run: 'false' },
    options: () => ({
      runDirectory: runDirectories({ runDirectory: base, singleRun: false }, {}),
      keptRuns: new KeptRuns({ folder: base, kept: 2, log }),
    }),
  });
  await writeFile(join(base, 'notes.txt'), 'mine');
  const running = agent.run();
  const seen: string[][] = [];
  for (const stack of ['one', 'two', 'three', 'four', 'five']) {
    const deployment = enqueue(jobOf('echo ready'), stack);
    await cloud.waitFor(() => deployment.endReason !== undefined);
    seen.push(await readdir(base));
  }
  send('SIGTERM');
  expect(await running).toBe(0);
  const newest = new Set(seen.flat().filter(isRunDirectoryName).sort().slice(-2));
  expect(new Set(await readdir(base))).toEqual(new Set([...newest, 'notes.txt']));
  // What says of a killed agent's run that nobody writes it any more.
  const last = join(base, [...newest].at(-1)!, 'events.ndjson');
  const [began] = (await readFile(last, 'utf8')).split('\n');
  expect(JSON.parse(began ?? '')).toMatchObject({ type: 'agent-started', space: processSpace() });
  expect(lines.every((line) => line.startsWith('info: Removed the oldest run directories below '))).toBe(true);
  const removed = lines.map((line) => Number(/: (\d+), as kept_runs is 2\.$/.exec(line)?.[1]));
  expect(removed.reduce((sum, each) => sum + each, 0)).toBe(3);
  expect(cloud.violations).toEqual([]);
});

it('a lasting agent that can’t look for old runs says so once, and works on', async () => {
  const lines: string[] = [];
  const log = (level: string, message: string) => lines.push(`${level}: ${message}`);
  const { agent, cloud, enqueue, send } = await agentOf({
    config: { single_run: 'false' },
    options: () => ({ keptRuns: new KeptRuns({ folder: '/dev/null', kept: 1, log }) }),
  });
  const running = agent.run();
  for (const stack of ['one', 'two', 'three']) {
    const deployment = enqueue(jobOf('true'), stack);
    await cloud.waitFor(() => deployment.endReason !== undefined);
    expect(deployment.status).toBe('succeeded');
  }
  send('SIGTERM');
  await running;
  expect(lines).toEqual([
    expect.stringMatching(/^warning: Failed to look for old run directories below \/dev\/null: ENOTDIR/),
  ]);
});
