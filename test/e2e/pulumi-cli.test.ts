import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunResult, runResultSchema } from '../../src/record/schema.ts';
import type { BlobStore } from '../emulators/github/azurite.ts';
import type { Deployment } from '../emulators/pulumi-cloud/deployment.ts';
import { bridgeAddress } from '../support/docker/bridge-address.ts';
import { docker } from '../support/docker/images.ts';
import { until } from '../support/e2e/moments.ts';
import {
  byCommand,
  inDocker,
  journalOf,
  makeStack,
  pendingOf,
  pulumi,
  pulumiJob,
  REACHABLE,
  resourcesOf,
  runEveryOperation,
  SOFT_TIMEOUT,
  signalsOf,
  untilAtWork,
  WORK,
} from '../support/e2e/pulumi-cli.ts';
import { logOf, onStage, type Stage, startBlobStore } from '../support/e2e/stage.ts';
import { scriptOutput } from '../support/script.ts';

vi.setConfig({ maxConcurrency: 3, testTimeout: 240_000 });

let blobs: BlobStore;
beforeAll(async () => {
  [blobs] = await Promise.all([startBlobStore(), scriptOutput('pulumi-image', [])]);
}, 600_000);
afterAll(() => blobs.stop());

/** Plays on a stage whose Pulumi Cloud jobs can reach, with a volume for them. */
function onReachableStage(
  options: { checkpointMs?: number },
  play: (stage: Stage, volume: string) => Promise<void>,
): Promise<void> {
  const volume = `pulumi-runner-test-${randomBytes(6).toString('hex')}`;
  return onStage({ blobStore: blobs, host: bridgeAddress(), ...options }, async (stage) => {
    try {
      await play(stage, volume);
    } finally {
      // The engine may still be removing a container that uses it.
      await until(() =>
        docker
          .getVolume(volume)
          .remove()
          .then(() => true)
          .catch(({ statusCode }: { statusCode?: number }) => statusCode === 404),
      );
    }
  });
}

const resultOf = async (runDirectory: string): Promise<RunResult> =>
  runResultSchema.parse(JSON.parse(await readFile(join(runDirectory, 'run.json'), 'utf8')));

/** Stops a run as soon as `atWork` resolves, and returns once it has ended. */
type Cause = (scene: {
  readonly stage: Stage;
  readonly volume: string;
  readonly deployment: Deployment;
  readonly atWork: () => Promise<unknown>;
}) => Promise<void>;

/** The action in a CI job: SIGINT to main, then post. */
const cancelledJob: Cause = async ({ stage, volume, atWork }) => {
  const job = await stage.job({ 'cache-volume': `${volume}=${WORK}` }, REACHABLE);
  const main = await job.startMain();
  await atWork();
  await main.cancel();
  expect(await main.exited).toMatchObject({ conclusion: 'cancelled', outputs: { outcome: 'interrupted' } });
  expect(await job.post()).toMatchObject({ conclusion: 'success' });
  expect(await job.cleanUpOrphans()).toEqual([]);
  const { artifacts } = stage.github;
  const run = String((await artifacts.download(artifacts.list()[0]!.name)).get('run.json'));
  // By the output, as nothing here may ask for the record.
  expect(runResultSchema.parse(JSON.parse(run))).toMatchObject({
    outcome: 'interrupted',
    steps: [{}, { status: 'failed' }],
    lock: { state: 'released' },
  });
};

/** The deployment's cancellation by a user in the console. */
const cancelledInCloud =
  (settings: Readonly<Record<string, string>> = {}): Cause =>
  ({ stage, volume, deployment, atWork }) =>
    byCommand(stage, { ...inDocker(volume), ...settings }, async ({ ended }) => {
      await atWork();
      stage.cloud.cancel(deployment.id);
      await ended;
    });

/** A limit of the agent that interrupts the job. */
const softLimit =
  (settings: Readonly<Record<string, string>>, code: string): Cause =>
  ({ stage, volume, atWork }) =>
    byCommand(stage, { ...inDocker(volume), ...settings }, async ({ ended }, runDirectory) => {
      await atWork();
      expect((await ended).code).toBe(1);
      expect(await resultOf(runDirectory)).toMatchObject({ outcome: 'failed', code, exitCode: 1 });
    });

/** The agent as a command that must end now: the first SIGTERM lets a job finish, the second interrupts it. */
const sigterm: Cause = ({ stage, volume, atWork }) =>
  byCommand(stage, inDocker(volume), async ({ child, said, ended }, runDirectory) => {
    await atWork();
    child.kill('SIGTERM');
    await said(/SIGTERM: the agent finishes a running job/);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(7);
    expect(await resultOf(runDirectory)).toMatchObject({ outcome: 'interrupted', exitCode: 7 });
  });

/** The agent's sudden end, after which the container interrupts its step itself. */
const agentDies: Cause = ({ stage, volume, atWork }) =>
  byCommand(stage, inDocker(volume), async ({ child, ended }) => {
    await atWork();
    child.kill('SIGKILL');
    await ended;
    const [id = ''] = stage.objectsLeft();
    await docker.getContainer(id).wait();
  });

/** A `docker stop` of the job's container, with the time that the container asks for. */
const engineStops: Cause = ({ stage, volume, atWork }) =>
  byCommand(stage, inDocker(volume), async ({ ended }) => {
    await atWork();
    const [id = ''] = stage.objectsLeft();
    await docker.getContainer(id).stop();
    expect((await ended).code).toBe(1);
  });

/** What a stop finds: how long a checkpoint takes, and whether the provider ignores the CLI's Cancel. */
interface Circumstances {
  readonly checkpointMs?: number;
  readonly deaf?: boolean;
  /** What the step makes of the command that updates. */
  readonly script?: (update: string) => string;
}

/** Takes some 40 MB more each second once the update is at work, without end. */
const GROWING = `{ until grep -q 'begin slow' ${WORK}/journal; do sleep 0.2; done; while :; do head -c 8m /dev/zero; sleep 0.2; done | tail >/dev/null; } &`;

/** What a provider gets as the CLI ends it. */
const ENDED_BY_CLI = ['Cancel', 'interrupt'];

/** Stops an update, and checks what it left; then updates again. */
function interrupted(
  cause: Cause,
  { checkpointMs = 0, deaf = false, script = (update) => update }: Circumstances = {},
): Promise<void> {
  return onReachableStage({ checkpointMs }, async (stage, volume) => {
    const stack = makeStack(stage);
    const first = stage.enqueue(
      pulumiJob(stage, { 'pulumi update': script(pulumi('up')) }, { seconds: 100, deaf }),
    );
    await cause({ stage, volume, deployment: first, atWork: () => untilAtWork(first) });
    const [update] = stack.updates;
    expect(update, logOf(first, 1)).toMatchObject({ kind: 'update', status: 'failed' });
    expect(stack.active).toBeUndefined();
    expect(resourcesOf(stack)).toEqual(['first']);
    expect(pendingOf(stack)).toEqual(deaf ? ['creating'] : []);
    // The dead agent's deployment occupies its stack until its heartbeats are overdue.
    if (!first.endReason) stage.cloud.cancel(first.id);
    const again = {
      // Each container numbers its processes anew.
      journal: `mv ${WORK}/journal /tmp; cat /tmp/journal`,
      'pulumi update': pulumi('up'),
      undisturbed: `cat ${WORK}/journal`,
    };
    const second = stage.enqueue(pulumiJob(stage, again));
    await byCommand(stage, inDocker(volume), async ({ ended }) => {
      const { code, stderr } = await ended;
      expect(code, stderr + logOf(second, 2)).toBe(0);
    });
    expect(resourcesOf(stack)).toEqual(['first', 'slow']);
    expect(signalsOf(update)).toEqual([
      '^C received; cancelling',
      ...(deaf ? ['SIGTERM received; terminating'] : []),
    ]);
    // None of our signals reached the provider.
    const work = ['begin first', 'end first', 'begin slow', 'Cancel', ...(deaf ? [] : ['give up slow'])];
    expect(journalOf(logOf(second, 1))).toEqual([...work, ...ENDED_BY_CLI]);
    expect(journalOf(logOf(second, 3))).toEqual(['begin slow', 'end slow', ...ENDED_BY_CLI]);
  });
}

describe.concurrent('Pulumi’s CLI in a job', () => {
  it('updates, refreshes, previews and destroys, without colors, and without a secret in its log', () =>
    onReachableStage({}, async (stage, volume) => {
      // Long enough for the dot of a quiet terminal, which comes every 20 s.
      const deployment = await runEveryOperation(stage, inDocker(volume), 22);
      const log = (index: number) => logOf(deployment, index);
      expect(log(1)).toContain('+ 3 to create');
      expect(log(2)).toContain('+ 3 created');
      expect(log(2)).toMatch(/^@ Updating\.+\n/m);
      expect(log(3)).toContain('3 unchanged');
      expect(log(4)).toMatch(/token +\[secret\]/);
      expect(log(5)).toContain('- 3 deleted');
      const all = [1, 2, 3, 4, 5].map(log).join('');
      expect(all).not.toContain('\u001b');
      expect(all).not.toContain('token-of-first');
    }));

  it('writes its state, frees the stack and updates it again after a cancelled CI job', () =>
    interrupted(cancelledJob));

  it('does so if timeout and tee stand between, of which the CLI notices nothing', () =>
    interrupted(cancelledJob, { script: (update) => `timeout 600 ${update} | tee log` }));

  it('does so after a cancellation in Pulumi Cloud', () => interrupted(cancelledInCloud()));

  it('does so after soft_timeout', () => interrupted(softLimit(SOFT_TIMEOUT, 'PRA-JOB-06')));

  it('does so after memory_soft_limit', () =>
    interrupted(softLimit({ PULUMI_AGENT_MEMORY: '1Gi' }, 'PRA-JOB-07'), {
      script: (update) => `${GROWING}\n${update}`,
    }));

  it('does so after the second SIGTERM to the agent', () => interrupted(sigterm));

  it('does so after the agent’s death, even if Pulumi Cloud takes 5 s for each checkpoint', () =>
    interrupted(agentDies, { checkpointMs: 5_000 }));

  it('does so after docker stop', () => interrupted(engineStops));

  it('does so if Pulumi Cloud takes 5 s for each checkpoint', () =>
    interrupted(cancelledInCloud(), { checkpointMs: 5_000 }));

  it('does so, with a pending operation, at SIGTERM if its provider ignores the cancellation', () =>
    interrupted(cancelledInCloud({ PULUMI_AGENT_CANCEL_GRACE_PERIOD: '5s' }), { deaf: true }));
});
