import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JobRunner } from '../emulators/github/runner.ts';
import { startEngineProxy } from '../support/docker/engine-proxy.ts';
import { until } from '../support/e2e/moments.ts';
import { agentPid, enqueue, useStage } from '../support/e2e/stage.ts';

/* What can go wrong once Pulumi Cloud has the end of a job. Only with jobs in Docker. */

const LONG = { timeout: 120_000 };

const stage = useStage();

const temporary = (job: JobRunner) => join(job.workspace, '../../../_temp');

/** Whether the run has recorded its verdict. */
function hasVerdict(job: JobRunner): boolean {
  const paths = globSync('pulumi-runner-*/run/events.ndjson', { cwd: temporary(job) });
  return paths.some((path) => readFileSync(join(temporary(job), path), 'utf8').includes('"type":"reported"'));
}

/** A job whose container can't be removed until `thaw`, when its agent has reported everything. */
async function stuckInRemoval() {
  const deployment = enqueue(stage, { 'pulumi update': 'echo updated' });
  const proxy = await startEngineProxy({
    onRequest: (line) => line.startsWith('DELETE /') && line.includes('/containers/') && proxy.freeze(),
  });
  const job = await stage.job({}, { DOCKER_HOST: proxy.url });
  const main = await job.startMain();
  await stage.cloud.waitFor(() => deployment.status === 'succeeded', 60_000);
  const agent = await agentPid(main);
  await until(() => hasVerdict(job));
  return { deployment, proxy, job, main, agent };
}

it('an agent that is killed while it removes the container leaves a success green', LONG, async () => {
  const { deployment, proxy, job, main, agent } = await stuckInRemoval();
  proxy.thaw();
  process.kill(agent, 'SIGKILL');
  const ended = await main.exited;
  expect(ended).toMatchObject({ conclusion: 'success', outputs: { outcome: 'succeeded', reported: 'true' } });
  expect(ended.annotations.map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /was killed by SIGKILL before it could write a result\. It had recorded how the run ended\./,
    ),
  ]);
  expect(ended.summary).toContain('✅');
  expect((await job.post())?.conclusion).toBe('success');
  expect(deployment.status).toBe('succeeded');
  expect(stage.github.artifacts.list()).toHaveLength(1);
  expect(await job.cleanUpOrphans()).toEqual([]);
});

it(
  'so does one that is killed together with main: post goes by the verdict that it recorded',
  LONG,
  async () => {
    const { proxy, job, main, agent } = await stuckInRemoval();
    proxy.thaw();
    main.kill('SIGKILL');
    process.kill(agent, 'SIGKILL');
    await main.exited;
    const post = await job.post();
    expect(post?.conclusion).toBe('success');
    // A killed agent wrote no duration.
    expect(post?.console.join('\n')).toMatch(/^✓ .* succeeded$/m);
    expect(post?.summary).toContain('✅');
    expect(stage.github.artifacts.list()).toHaveLength(1);
    expect(await job.cleanUpOrphans()).toEqual([]);
  },
);

it('a disk that fills up during the update leaves a success green', LONG, async () => {
  const deployment = enqueue(stage, { 'pulumi update': 'echo updating; sleep 3; echo updated' });
  const job = await stage.job();
  const disk = temporary(job);
  mkdirSync(disk, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
  try {
    const main = await job.startMain();
    await main.waitForConsole(/^updating$/m, 60_000);
    // As another program would fill it.
    const fill = () => execFileSync('dd', ['if=/dev/zero', `of=${disk}/other`, 'bs=4k'], { stdio: 'pipe' });
    expect(fill).toThrow(/No space/);
    const ended = await main.exited;
    expect(ended).toMatchObject({
      conclusion: 'success',
      outputs: { outcome: 'succeeded', reported: 'true' },
    });
    expect(deployment.status).toBe('succeeded');
    expect((await job.post())?.conclusion).toBe('success');
    expect(stage.github.artifacts.list()).toHaveLength(1);
    expect(await job.cleanUpOrphans()).toEqual([]);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
});
