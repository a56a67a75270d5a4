import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BlobStore } from '../emulators/github/azurite.ts';
import type { NewJobOptions } from '../emulators/github/github.ts';
import type { PhaseResult } from '../emulators/github/phase.ts';
import { leavesAtOnce, until } from '../support/e2e/moments.ts';
import { enqueue, onStage, openStage, type Stage, startBlobStore } from '../support/e2e/stage.ts';

let blobs: BlobStore;
beforeAll(async () => {
  blobs = await startBlobStore();
});
afterAll(() => blobs.stop());

/** Main and post of a job that asks for work once. */
async function run(
  stage: Stage,
  inputs: Record<string, string> = {},
  env: Record<string, string> = {},
  options: NewJobOptions = {},
): Promise<PhaseResult> {
  const job = await stage.job({ 'max-wait': '0s', ...inputs }, env, options);
  const main = await job.main();
  expect((await job.post())?.conclusion).toBe('success');
  expect(existsSync(main.outputs['run-directory'] ?? '')).toBe(true);
  return main;
}

const said = ({ annotations }: PhaseResult) => annotations.map(({ level, message }) => `${level}: ${message}`);

describe.concurrent('the artifact', () => {
  it('has a name of its own in every job of a matrix and in a re-run', () =>
    onStage({ blobStore: blobs }, async (stage) => {
      const deployment = enqueue(stage, { 'pulumi update': 'echo updated' });
      const named = await run(stage, { 'max-wait': '10s' });
      await Promise.all([run(stage), run(stage, {}, {}, { attempt: 2 })]);
      const names = stage.github.artifacts.list().map(({ name }) => name);
      const { runId } = (await stage.job()).identity;
      expect(names.map((name) => name.replace(/-[0-9a-f]{6}$/, '')).sort()).toEqual(
        [deployment.id, runId]
          .map((subject) => `pulumi-runner-${subject}-deploy-1`)
          .concat(`pulumi-runner-${runId}-deploy-2`)
          .sort(),
      );
      expect(new Set(names).size).toBe(3);
      expect(named.outputs['artifact-url']).toBe(
        `https://github.com/acme/infrastructure/actions/runs/${runId}/artifacts/${named.outputs['artifact-id']}`,
      );
    }));

  it('that artifact-name calls the same in two jobs is there twice all the same', async () => {
    const stage = await openStage({ blobStore: blobs });
    stage.github.allow('artifact-already_exists');
    try {
      await run(stage, { 'artifact-name': 'logs' });
      const second = await run(stage, { 'artifact-name': 'logs' });
      const { artifacts } = stage.github;
      const [, other = ''] = artifacts.list().map(({ name }) => name);
      expect(other).toMatch(/^logs-[0-9a-f]{6}$/);
      expect(await artifacts.download(other)).toHaveProperty('size', expect.any(Number));
      expect(second.outputs['artifact-id']).toMatch(/^\d+$/);
      expect(said(second)).toEqual([
        `notice: The workflow run has an artifact logs already: this one is called ${other}.`,
      ]);
      expect(stage.github.violations().map(({ rule }) => rule)).toEqual(['artifact-already_exists']);
    } finally {
      await stage.stop();
    }
  });

  it('is kept for as many days as artifact-retention-days says', () =>
    onStage({ blobStore: blobs }, async (stage) => {
      await run(stage, { 'artifact-retention-days': '3' });
      const [artifact] = stage.github.artifacts.list();
      const kept = Number(artifact?.expiresAt) - Number(artifact?.createdAt);
      expect(Math.round(kept / 864_000) / 100).toBe(3);
    }));

  it.each([
    ['on-failure', 'fail', 'failure', 1],
    ['on-failure', 'succeed', 'success', 0],
  ])(
    'with upload-artifact %s and a run that shall %s without work: %s, %s artifacts',
    (when, noWork, conclusion, count) =>
      onStage({ blobStore: blobs }, async (stage) => {
        const main = await run(stage, { 'upload-artifact': when, 'on-no-work': noWork });
        expect(main.conclusion).toBe(conclusion);
        expect(main.outputs['artifact-id']).toMatch(count === 0 ? /^$/ : /^\d+$/);
        expect(main.outputs['artifact-url']).toMatch(count === 0 ? /^$/ : /^https:/);
        expect(stage.github.artifacts.list()).toHaveLength(count);
        expect(stage.github.artifacts.calls.length > 0).toBe(count > 0);
        expect(main.summary).not.toBe('');
      }),
  );

  it.each([
    ['GitHub Enterprise Server', { GITHUB_SERVER_URL: 'https://github.acme.example' }, 'GitHub Enterprise Server does'],
  ])('is left out with its reason for %s', (_, env, reason) =>
    onStage({ blobStore: blobs }, async (stage) => {
      const main = await run(stage, {}, env);
      expect(main).toMatchObject({ conclusion: 'success', outputs: { outcome: 'no-work', 'artifact-id': '' } });
      expect(said(main)).toEqual([expect.stringContaining(`notice: No artifact was uploaded: ${reason}`)]);
      expect(said(main)[0]).toContain(`The run directory is ${main.outputs['run-directory']} on this runner.`);
      expect(stage.github.artifacts.calls).toEqual([]);
    }),
  );
});

describe.concurrent('trouble with the artifact never changes the outcome, and says what was lost:', () => {
  const lost = (cause: string, directory: string | undefined) =>
    new RegExp(
      `^warning: Failed to upload the artifact pulumi-runner-\\S+ for this run: (?!.*\\.\\.).*${cause}.*\\. Logs and events of the run ` +
        `are not kept with the workflow run; they lie in ${directory} on this runner until the job ends\\. See PRA-RECORD-01(: \\S+)?$`,
    );

  it.each<[string, (stage: Stage) => void, string, Record<string, string>]>([
    ['a service that is down', ({ github: { artifacts } }) => artifacts.switchOff(), 'ECONNRESET|hang up', {}],
  ])('%s', (_, breakIt, cause, env) =>
    onStage({ blobStore: blobs }, async (stage) => {
      breakIt(stage);
      const main = await run(stage, {}, env);
      expect(main).toMatchObject({ conclusion: 'success', outputs: { outcome: 'no-work', 'artifact-id': '' } });
      expect(said(main)).toEqual([expect.stringMatching(lost(`(?:${cause})`, main.outputs['run-directory']))]);
      expect(main.summary).toContain('No workflow was queued');
    }),
  );

  /** A job that was cancelled while it waited, its post phase at the upload, which stands still. */
  const postAtUpload = async (stage: Stage, env: Record<string, string>) => {
    const job = await stage.job({ 'max-wait': '60s' }, env);
    const main = await job.startMain();
    await stage.cloud.waitFor((cloud) => cloud.requests.some(({ path }) => path === '/api/deployments/poll'), 30_000);
    await main.cancel();
    stage.github.artifacts.blobs.set('stall');
    const post = await job.startPost();
    if (post === undefined) throw new Error('the action has no post phase');
    await until(() => stage.github.artifacts.list().length > 0);
    return { job, main: await main.exited, post };
  };

  it('post, which is stopped at its upload', () =>
    onStage({ blobStore: blobs }, async (stage) => {
      const { job, main, post } = await postAtUpload(stage, {});
      const ended = await leavesAtOnce(post, () => post.kill('SIGINT'));
      expect(ended).toMatchObject({ conclusion: 'success', signal: null });
      expect(said(ended)).toEqual([expect.stringMatching(lost('the step was stopped', main.outputs['run-directory']))]);
      expect(ended.summary).toContain('interrupted by the CI job');
      expect(await job.cleanUpOrphans()).toEqual([]);
    }));
});
