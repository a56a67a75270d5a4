import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BlobStore } from '../emulators/github/azurite.ts';
import type { PhaseHandle, PhaseResult } from '../emulators/github/phase.ts';
import type { JobRunner } from '../emulators/github/runner.ts';
import type { Deployment } from '../emulators/pulumi-cloud/deployment.ts';
import { MAIN_MOMENTS, type Moment, until } from '../support/e2e/moments.ts';
import { enqueue, onStage, startBlobStore } from '../support/e2e/stage.ts';

/** Most of a run is waiting; more at once would only wait for the processor. */
vi.setConfig({ maxConcurrency: 3 });

let blobs: BlobStore;
beforeAll(async () => {
  blobs = await startBlobStore();
});
afterAll(() => blobs.stop());

interface Run {
  readonly job: JobRunner;
  readonly main: PhaseHandle;
  readonly deployment: Deployment;
  /** For when main has ended. */
  readonly release: () => void;
}

/** Runs a job up to a moment and hands it over. Its calls to Pulumi Cloud wait 2 s for an answer. */
function at(moment: Moment, play: (run: Run) => Promise<void>): Promise<void> {
  return onStage({ blobStore: blobs }, async (stage) => {
    const deployment = enqueue(stage, { 'Get source': 'echo source', 'pulumi update': 'echo updating; sleep 1' });
    const job = await stage.job({}, { PULUMI_AGENT_REQUEST_TIMEOUT: '2s' });
    const { reached, release = () => undefined } = moment(stage);
    const main = await job.startMain();
    await reached;
    await play({ job, main, deployment, release });
  });
}

/** Holds a run to what it must not leave: its ID token's folder, a process; closeStage looks for containers. */
async function expectNothingLeft(job: JobRunner, main: PhaseResult): Promise<void> {
  const { 'private-directory': folder } = main.state;
  if (folder !== undefined) expect(existsSync(folder)).toBe(false);
  expect(await job.cleanUpOrphans()).toEqual([]);
}

describe.concurrent('a main that is killed', () => {
  it.each(Object.entries(MAIN_MOMENTS))('while %s leaves post an end in order, and nothing else', (_, moment) =>
    at(moment, async ({ job, main, deployment, release }) => {
      main.kill('SIGKILL');
      const ended = await main.exited;
      release();
      const claimed = deployment.claimedAt;
      const post = await job.post();
      expect(post?.conclusion).toBe('success');
      // Whatever main did not come to, post must not begin.
      expect(deployment.claimedAt).toBe(claimed);
      if (claimed !== undefined) expect(deployment.endReason).toBe('steps');
      await expectNothingLeft(job, ended);
    }),
  );
});

describe.concurrent('a cancel of the CI job', () => {
  it('that comes before the agent can handle signals is told as an interruption', () =>
    onStage({ blobStore: blobs }, async (stage) => {
      const job = await stage.job();
      const main = await job.startMain();
      const temporary = join(job.workspace, '../../../_temp');
      // Made right before the process is.
      await until(() => globSync('pulumi-runner-*/run/agent.log', { cwd: temporary }).length > 0);
      await main.cancel();
      const ended = await main.exited;
      const post = await job.post();
      expect(ended.outputs).toMatchObject({ outcome: 'interrupted' });
      expect(post?.console.join('\n')).toMatch(/^interrupted: /m);
      expect(post?.summary).toContain('interrupted by the CI job');
      await expectNothingLeft(job, ended);
    }));
});
