import { describe, expect, it } from 'vitest';
import { leavesAtOnce } from '../support/e2e/moments.ts';
import { agentPid, ENGINE, enqueue, logOf, ORDERLY_END, statuses, useStage } from '../support/e2e/stage.ts';

const stage = useStage();

describe('a cancel in Pulumi Cloud', () => {
  it('interrupts the step gracefully and ends the run as cancelled', async () => {
    const deployment = enqueue(stage, { 'pulumi update': ENGINE, 'Post-run command': 'echo unreachable' });
    const { job, main } = await stage.updating();
    stage.cloud.cancel(deployment.id);
    const ended = await main.exited;
    await job.post();
    expect(ended.conclusion).toBe('failure');
    expect(ended.outputs).toMatchObject({ outcome: 'cancelled' });
    const said = ended.annotations.map(({ message }) => message).join('\n');
    expect(said).toContain('the deployment was cancelled in Pulumi Cloud');
    // The step's lines are in its group on the console, not in an annotation.
    expect(said).not.toContain('lock freed');
    const artifact = await stage.onlyArtifact();
    expect(artifact.text('steps/01-pulumi-update.log')).toContain(ORDERLY_END);
    expect(artifact.result).toMatchObject({
      outcome: 'cancelled',
      exitCode: 6,
      steps: [{}, { status: 'failed' }, { status: 'not-started' }],
    });
    expect(statuses(deployment)[2]).toEqual([]);
  });
});

describe('a cancel of the CI job', () => {
  it('ends main within 2 s and the step gracefully, and post publishes the rest', async () => {
    const deployment = enqueue(stage, { 'pulumi update': ENGINE });
    const { job, main } = await stage.updating();
    const ended = await leavesAtOnce(main, () => main.cancel());
    expect(ended).toMatchObject({ conclusion: 'cancelled', signal: null });
    const post = await job.post();
    expect(post?.conclusion).toBe('success');
    expect(logOf(deployment, 1)).toContain(ORDERLY_END);
    expect(statuses(deployment)[1]).toEqual(['running', 'failed']);
    expect(deployment).toMatchObject({ status: 'failed', endReason: 'steps' });
    expect(post?.console.join('\n')).toContain('state written, lock freed');
    const raw = String(ended.raw.stdout) + String(post?.raw.stdout);
    expect(raw.match(/^updating$/gm)).toHaveLength(1);
    const artifact = await stage.onlyArtifact();
    expect(artifact.result).toMatchObject({ outcome: 'interrupted', exitCode: 7 });
    expect(artifact.text('steps/01-pulumi-update.log')).toBe(logOf(deployment, 1));
    expect(post?.summary).toContain('interrupted');
    expect(await job.cleanUpOrphans()).toEqual([]);
  });
});

describe('the sudden death', () => {
  it('of the agent leaves no container, and both phases say what happened', async () => {
    enqueue(stage, { 'pulumi update': ENGINE });
    const { job, main } = await stage.updating();
    expect(stage.objectsLeft()).not.toEqual([]);
    process.kill(await agentPid(main), 'SIGKILL');
    const ended = await main.exited;
    const post = await job.post();
    expect(ended.conclusion).toBe('failure');
    expect(ended.outputs).toMatchObject({ outcome: 'failed' });
    const said = ended.annotations.map(({ message }) => message).join('\n');
    expect(said).toMatch(/The agent was killed/);
    expect(said).toContain('10 minutes');
    expect(post?.conclusion).toBe('success');
    // A pod has its own grace period, and post waits for only part of it.
    expect(post?.console.join('\n')).toMatch(
      /no container|nothing was left|Removed pod|was told to end in order/i,
    );
    await expect.poll(() => stage.objectsLeft(), { timeout: 60_000 }).toEqual([]);
    const artifacts = await stage.github.artifacts.list();
    const files = await stage.github.artifacts.download(artifacts[0]!.name);
    expect(String(files.get('steps/01-pulumi-update.log'))).toBe('updating\n');
  });
});
