import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findByEnvironment } from '../emulators/github/process-tree.ts';
import { ENGINE, enqueue, ORDERLY_END, statuses, useStage } from '../support/e2e/stage.ts';

/*
 * A CI job with `container:`. The runner starts its steps by `docker exec`, which passes no signal on: it counts a
 * cancelled step as over and begins the next ones, while main keeps running.
 */

const LONG = { timeout: 120_000 };

const stage = useStage();

it(
  'when a cancel never reaches main, post does the rest: one end, one artifact, and outputs for the steps in between',
  LONG,
  async () => {
    const deployment = enqueue(stage, { 'pulumi update': ENGINE });
    const { job, main } = await stage.updating({}, {}, { container: true });
    await main.cancel();
    const { outputs } = await main.exited;
    expect(outputs).toMatchObject({ 'deployment-id': deployment.id, 'run-id': expect.stringMatching(/./) });
    expect(outputs['job-id']).toMatch(/./);
    expect(existsSync(outputs['run-directory'] ?? '')).toBe(true);
    const running = await findByEnvironment('RUNNER_TRACKING_ID', job.trackingId);
    expect(running.map(({ pid }) => pid)).toContain(main.pid);

    const post = await job.post();
    expect(post?.conclusion).toBe('success');
    expect(post?.console.join('\n')).toContain('The step itself is still running: asked it to exit.');
    expect(post?.console.join('\n')).not.toContain('killed');
    expect(statuses(deployment)[1]).toEqual(['running', 'failed']);
    const artifact = await stage.onlyArtifact();
    expect(artifact.result).toMatchObject({ outcome: 'interrupted', exitCode: 7 });
    expect(artifact.text('steps/01-pulumi-update.log')).toContain(ORDERLY_END);
    expect(post?.summary.match(/^<h2>/gm)).toHaveLength(1);
    // Neither main nor post nor the agent is left.
    expect(await job.cleanUpOrphans()).toEqual([]);
  },
);
