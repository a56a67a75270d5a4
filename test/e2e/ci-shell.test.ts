import { readdirSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { signedIdToken } from '../support/cloud/id-token.ts';
import { eventsOf } from '../support/docker/events.ts';
import { HOLD } from '../support/docker/held-step.ts';
import { docker } from '../support/docker/images.ts';
import { CiJob } from '../support/e2e/ci-job.ts';
import { until } from '../support/e2e/moments.ts';
import { ENGINE, enqueue, HELD, ORDERLY_END, POOL, statuses, useStage } from '../support/e2e/stage.ts';
import { temporaryDirectory } from '../support/run/temporary-directory.ts';

const stage = useStage();
let directory: string;
let job: CiJob;
beforeEach(async () => {
  directory = await temporaryDirectory();
  job = await CiJob.open({
    directory,
    label: stage.label,
    environment: {
      PULUMI_AGENT_SERVICE_URL: stage.cloud.url,
      PULUMI_AGENT_TOKEN: stage.cloud.createStaticToken(POOL.id),
      PULUMI_AGENT_PULL_IMAGE: 'false',
      PULUMI_AGENT_JOB_STATUS_LOOP_INTERVAL: '1s',
      PULUMI_AGENT_POLLING_INTERVAL: '1s',
    },
  });
});

describe('ci in a plain shell', () => {
  it('runs one deployment, leaves its record in the checkout, and nothing else', async () => {
    const deployment = enqueue(stage, {
      'pulumi update': `echo deployed; echo "::error::forged"; echo "##teamcity[setParameter name='a' value='b']"`,
    });
    const { code, console } = await job.run('ci', '--max-wait', '20s');
    expect(code, console).toBe(0);
    expect(console).toContain('\n  deployed\n');
    expect(console).toContain('\n  # #teamcity[setParameter ');
    expect(console).not.toContain('##teamcity');
    expect(deployment.status).toBe('succeeded');
    expect(job.result()).toMatchObject({ outcome: 'succeeded', deploymentId: deployment.id });
    expect(readdirSync(job.checkout)).toEqual(['pulumi-runner']);
    expect(job.leftovers()).toEqual([]);
  });

  it('signs in with the ID token of the variable that a flag names, which no job gets', async () => {
    const ID_TOKEN = await signedIdToken(stage.github.issuer, { sub: 'repo:acme/infrastructure:x' });
    const { environment } = job.options;
    const { PULUMI_AGENT_TOKEN: _, ...others } = environment;
    const signed = await CiJob.open({ ...job.options, environment: { ...others, ID_TOKEN } });
    enqueue(stage, { 'pulumi update': 'echo "[$ID_TOKEN]"' });
    const pool = ['--organization-name', 'acme', '--runner-pool-id', POOL.id];
    const { code, console } = await signed.run('ci', ...pool, '--identity-token-env', 'ID_TOKEN');
    expect(code, console).toBe(0);
    expect(console).toContain("Signed in to Pulumi Cloud with this job's ID token.");
    expect(console).toContain('\n  []\n');
    expect(console).not.toContain(ID_TOKEN);
  });

  it('ends with the exit code of the outcome of a failed step', async () => {
    enqueue(stage, { 'pulumi update': 'echo broken; exit 3' });
    const { code, console } = await job.run('ci', '--max-wait', '20s');
    expect(code, console).toBe(1);
    expect(console).toMatch(/^Error: .*Step 1: pulumi update failed with exit code 3/m);
    expect(job.result()).toMatchObject({ outcome: 'failed' });
  });

  it('ends with 75 when no deployment came and that is to fail, in place of an earlier record', async () => {
    const { code, console } = await job.run('ci', '--max-wait', '0s', '--on-no-work', 'fail');
    expect(code, console).toBe(75);
    expect(await job.run('ci', '--max-wait', '0s')).toMatchObject({ code: 0 });
    expect(job.result()).toMatchObject({ outcome: 'no-work' });
  });

  it('interrupts the step on SIGINT, finishes the run itself, and leaves finish nothing to do', async () => {
    const deployment = enqueue(stage, { 'pulumi update': ENGINE });
    const { child, shows, ended } = job.start('ci', '--max-wait', '20s');
    await shows(/^ {2}updating$/);
    child.kill('SIGINT');
    const { code, console } = await ended;
    expect(code, console).toBe(7);
    expect(console).toMatch(/^ {2}interrupted$(?:.*\n)* {2}state written, lock freed$/m);
    expect(job.result()).toMatchObject({ outcome: 'interrupted', exitCode: 7 });
    expect(job.record('steps/01-pulumi-update.log')).toContain(ORDERLY_END);
    expect(statuses(deployment)[1]).toEqual(['running', 'failed']);
    expect(job.leftovers()).toEqual([]);
    for (const _ of [1, 2])
      expect(await job.run('finish')).toEqual({ code: 0, console: 'There is nothing to finish.\n' });
  });

  it('leaves a step its time in a window of 9 s, though the CI system kills it and finish sweeps', async () => {
    enqueue(stage, { 'pulumi update': ENGINE.replace('sleep 1;', 'sleep 8;') });
    const { child, shows, ended } = job.start('ci', '--max-wait', '20s', '--cancel-window', '9s');
    await shows(/^ {2}updating$/);
    const [{ Id: id } = { Id: '' }] = await docker.listContainers({ filters: { label: [stage.label] } });
    const sent = performance.now();
    const died = docker
      .getContainer(id)
      .wait()
      .then(() => performance.now() - sent);
    child.kill('SIGINT');
    const kill = setTimeout(() => child.kill('SIGKILL'), 9_000);
    await ended;
    clearTimeout(kill);
    expect((await job.run('finish')).console).not.toContain('Removed container');
    expect(await died).toBeGreaterThan(8_000);
    expect(await eventsOf(id, ['kill', 'die'])).toEqual(['die 0']);
    // The next run on this engine removes the container that its guard ended.
    const next = job.start('ci', '--max-wait', '5m');
    try {
      await until(() => stage.objectsLeft().length === 0, 60_000);
    } finally {
      next.child.kill('SIGINT');
      await next.ended;
    }
  });

  it('leaves on a second signal, and finish waits for the agent, publishes and cleans', async () => {
    enqueue(stage, { 'pulumi update': ENGINE.replace('sleep 1', HOLD) });
    const { child, shows, ended } = job.start('ci', '--max-wait', '20s');
    await shows(/^ {2}updating$/);
    child.kill('SIGTERM');
    await shows('^ {2}interrupted$');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 7 });
    expect(job.leftovers()).toHaveLength(1);
    await stage.release();
    const { code, console } = await job.run('finish');
    expect({ code, console }).toMatchObject({
      code: 0,
      console: expect.stringContaining('state written, lock freed'),
    });
    expect(job.result()).toMatchObject({ outcome: 'interrupted' });
    expect(job.leftovers()).toEqual([]);
  });

  it('leaves at once on SIGHUP, and two finish at once do each other no harm', async () => {
    enqueue(stage, { 'pulumi update': ENGINE.replace('sleep 1;', 'sleep 4;') });
    const { child, shows, ended } = job.start('ci', '--max-wait', '20s');
    await shows(/^ {2}updating$/);
    child.kill('SIGHUP');
    expect(await ended).toMatchObject({ code: 7 });
    const finished = await Promise.all([job.run('finish'), job.run('finish')]);
    expect(finished.map(({ code }) => code)).toEqual([0, 0]);
    expect(finished[0].console + finished[1].console).toMatch(
      /^✗ acme\/network\/prod · .* interrupted in .* s: Failed to finish step 1/m,
    );
    expect(job.result()).toMatchObject({ outcome: 'interrupted' });
    expect(job.leftovers()).toEqual([]);
  });
});

it('a second ci in the same checkout is refused, and takes nothing from the first', async () => {
  enqueue(stage, { 'pulumi update': HELD });
  const { shows, ended } = job.start('ci', '--max-wait', '20s');
  await shows(/^ {2}updating$/);
  const second = await job.run('ci', '--max-wait', '0s');
  expect(second).toMatchObject({
    code: 2,
    console: expect.stringContaining('another ci command of this job'),
  });
  expect(job.leftovers()).toHaveLength(1);
  await stage.release();
  const { code, console } = await ended;
  expect(code, console).toBe(0);
  expect(job.result()).toMatchObject({ outcome: 'succeeded' });
  expect(job.leftovers()).toEqual([]);
});

it('a console whose reader is gone does not end the run', async () => {
  const deployment = enqueue(stage, {
    'pulumi update': 'echo updating; sleep 2; yes | head -c 200000; echo done',
  });
  const { child, shows, ended } = job.start('ci', '--max-wait', '20s');
  await shows(/^ {2}updating$/);
  child.stdout?.destroy();
  expect(await ended).toMatchObject({ code: 0 });
  expect(deployment.status).toBe('succeeded');
  expect(job.leftovers()).toEqual([]);
});

it('empty variables of a CI system put nothing private into the checkout', async () => {
  const environment = { GITLAB_CI: 'true', CI_JOB_ID: '1', CI_PROJECT_DIR: '', RUNNER_TEMP_PROJECT_DIR: '' };
  const odd = await CiJob.open({
    ...job.options,
    environment: { ...job.options.environment, ...environment },
  });
  const { code, console } = await odd.run('ci', '--max-wait', '0s');
  expect(code, console).toBe(0);
  expect(readdirSync(odd.checkout).toSorted()).toEqual([
    'pulumi-runner',
    'pulumi-runner-links.json',
    'pulumi-runner.env',
  ]);
  expect(odd.leftovers()).toEqual([]);
});

describe('a checkout that a pull request chose', () => {
  it('configures nothing: no token leaves for the address in its file', async () => {
    await writeFile(join(job.checkout, 'pulumi-workflow-agent.yaml'), 'service_url: http://127.0.0.1:9\n');
    enqueue(stage, { 'pulumi update': 'echo deployed' });
    const { code, console } = await job.run('ci', '--max-wait', '20s');
    expect(code, console).toBe(0);
    expect(console).toMatch(/pulumi-workflow-agent\.yaml is not read/);
  });

  it('has no record written through a link', async () => {
    const system = join(directory, 'system');
    await mkdir(system);
    await symlink(system, join(job.checkout, 'pulumi-runner'));
    const { code, console } = await job.run('ci', '--max-wait', '0s');
    expect(code, console).toBe(2);
    expect(console).toMatch(/Failed to make the record .* it is no directory, or a link to one/);
    expect(readdirSync(system)).toEqual([]);
    expect(stage.cloud.requests).toEqual([]);
  });
});
