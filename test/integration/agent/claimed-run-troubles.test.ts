import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ExecutorUnavailableError } from '../../../src/executor/executor.ts';
import { CALLS, failing } from '../../emulators/pulumi-cloud/faults.ts';
import { type ClaimedRun, claimed, jobOf, quietHealth } from '../../support/agent/claimed-run.ts';
import { fastClock } from '../../support/job/fast-clock.ts';
import { smallDisk } from '../../support/run/small-disk.ts';

describe('an executor', () => {
  it.each<[string, Error, string]>([
    [
      'the engine',
      new ExecutorUnavailableError('Failed to reach Docker for the job: no socket.', {
        code: 'PRA-DOCKER-01',
      }),
      'target-error',
    ],
    ['something unforeseen', new Error('boom'), 'failed'],
  ])('that fails because of %s tells Pulumi Cloud and the user', async (_, error, outcome) => {
    const run = await claimed({
      job: jobOf('echo never'),
      target: { onPrepare: () => Promise.reject(error) },
    });
    const end = await run.serve();
    expect(end).toMatchObject({ outcome, message: expect.stringContaining(error.message) });
    expect(run.log(0)).toContain(error.message);
    expect(run.told).toEqual([['Setup', 'running', 'failed'], ['Step 1']]);
    run.expectOrderlyEnd();
  });

  it('that fails once before the first step prepares the job again, and runs every step once', async () => {
    let tries = 0;
    const onPrepare = async () => {
      tries += 1;
      if (tries === 1)
        throw new ExecutorUnavailableError('Failed to reach Docker for the job: it restarts.', {
          code: 'PRA-DOCKER-01',
        });
    };
    const run = await claimed({ job: jobOf('echo one'), target: { onPrepare } });
    expect(await run.serve()).toMatchObject({ outcome: 'succeeded', reported: true });
    run.expectOrderlyEnd();
    expect(tries).toBe(2);
    const again =
      'Failed to reach Docker for the job: it restarts. No step has begun: preparing the container again.';
    expect(run.log(0)).toContain(again);
    expect(run.notices).toEqual([again]);
    expect(run.told).toEqual([
      ['Setup', 'running', 'succeeded'],
      ['Step 1', 'running', 'succeeded'],
    ]);
  });

  it('that can’t remove the container leaves the outcome as it is, and says what is left', async () => {
    const left = new Error('Failed to remove the container for the job: busy.');
    const run = await claimed({
      job: jobOf('exit 4'),
      target: { onRemove: () => Promise.reject(left) },
      options: { clock: fastClock(20) },
    });
    expect(await run.serve()).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('exit code 4'),
    });
    expect(run.notices).toEqual([left.message]);
    expect(run.told).toEqual([
      ['Setup', 'running', 'succeeded'],
      ['Step 1', 'running', 'failed'],
    ]);
  });

  it('that removes the container slowly does not prolong the heartbeats', async () => {
    // A heartbeat after the job's end is a violation, which fails the test.
    const run = await claimed({
      job: jobOf('true'),
      target: { onRemove: () => delay(1_500) },
      options: { clock: fastClock(100) },
    });
    expect(await run.serve()).toMatchObject({ outcome: 'succeeded', reported: true });
  });
});

describe('a definition that can’t be run', () => {
  it('fails the job at once, with the reason', async () => {
    const run = await claimed({ job: { steps: [{}, { run: 7 }] } });
    const end = await run.serve();
    expect(end).toMatchObject({ outcome: 'failed', message: expect.stringContaining('steps[1].run') });
    expect(run.log(0)).toContain('steps[1].run');
    expect(run.told[0]!.slice(1)).toEqual(['running', 'failed']);
    expect(end.steps).toMatchObject([{ index: 0, status: 'failed' }]);
    run.expectOrderlyEnd();
  });
});

describe('a definition with more secrets than can be hidden', () => {
  it('fails the job before anything of it runs or is shown, and names the largest', async () => {
    const secret = randomBytes(1_000_000).toString('hex');
    const job = {
      ...jobOf({ name: `names ${secret.slice(0, 40)}`, run: 'echo "$BIG"' }),
      env: { BIG: { secret } },
    };
    const scene = await claimed({ job });
    const end = await scene.serve();
    expect(end).toMatchObject({
      outcome: 'failed',
      code: 'PRA-JOB-12',
      message: expect.stringContaining('the largest is BIG, 2000 kB long'),
    });
    expect(scene.target.specs).toEqual([]);
    expect(scene.told.map(([, ...statuses]) => statuses)).toEqual([['running', 'failed'], []]);
    expect(await scene.file('events.ndjson')).not.toContain(secret.slice(0, 40));
    expect(scene.log(0)).toContain('Failed to hide the secrets for the job');
  });
});

describe('a Pulumi Cloud in trouble', () => {
  it('that refuses the pool’s token while it takes the job’s is told: a cancel would go unseen', async () => {
    const health = quietHealth();
    const url = await health.listen(0, '127.0.0.1');
    onTestFinished(() => health.close());
    const scene = await claimed({
      job: jobOf('while [ ! -e over ]; do sleep 0.05; done'),
      options: { clock: fastClock(100), health },
    });
    scene.cloud.script({ path: CALLS.look, times: Number.POSITIVE_INFINITY, answer: failing(401) });
    const ending = scene.serve();
    const unseen = /^The agent can't notice a cancel in Pulumi Cloud: .* See PRA-CLOUD-05$/;
    await expect.poll(() => scene.notices, { timeout: 20_000 }).toContainEqual(expect.stringMatching(unseen));
    expect(await (await fetch(url)).json()).toMatchObject({
      status: 'healthy',
      cancelUnseenSince: expect.any(String),
    });
    await writeFile(join(scene.root, 'over'), '');
    expect((await ending).outcome).toBe('succeeded');
    expect(scene.notices.filter((notice) => unseen.test(notice))).toHaveLength(1);
  }, 40_000);

  it('does not delay the removal of the container', async () => {
    const atRemoval: string[] = [];
    const run: ClaimedRun = await claimed({
      job: jobOf('echo late'),
      target: {
        onRemove: async () => {
          atRemoval.push(run.deployment.steps[1]!.status);
        },
      },
    });
    run.cloud.script({ method: 'POST', path: /\/1\/logs/, times: 2, answer: { status: 503 } });
    expect(await run.serve()).toMatchObject({ outcome: 'succeeded' });
    // `running` may or may not have arrived by then; the last status must not have.
    expect(atRemoval).toHaveLength(1);
    expect(atRemoval).not.toContain('succeeded');
    expect(run.log(1)).toBe('late\n');
  });
});

describe('a disk', () => {
  it('where no step log can be created keeps no lines from Pulumi Cloud', async () => {
    const run = await claimed({
      job: jobOf('echo one', 'echo two'),
      target: { onPrepare: () => rm(join(run.directory, 'steps'), { recursive: true }) },
    });
    expect(await run.serve()).toMatchObject({ outcome: 'succeeded' });
    expect(run.log(1)).toBe('one\n');
    expect(run.log(2)).toBe('two\n');
    expect(run.notices).toEqual([
      expect.stringMatching(/^Failed to create the step log .*01-step-1\.log/),
      expect.stringMatching(/^Failed to create the step log .*02-step-2\.log/),
    ]);
    run.expectOrderlyEnd();
  });

  it('that is full does not end a deployment', async () => {
    let fill = () => {};
    const run = await claimed({ job: jobOf('echo one'), target: { onPrepare: async () => fill() } });
    fill = smallDisk(run.directory);
    expect(await run.serve()).toMatchObject({ outcome: 'succeeded' });
    expect(run.log(1)).toBe('one\n');
    run.expectOrderlyEnd();
  });
});
