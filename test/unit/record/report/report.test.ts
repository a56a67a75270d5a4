import { expect, test } from 'vitest';
import { reportOf, reportWithout } from '../../../../src/record/report/report.ts';
import { ownDeployment, sampleJob, sampleOwnRun } from '../../../support/run/own-run.ts';
import { SampleRun, sampleStep } from '../../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../../support/run/temporary-directory.ts';

test('a result is reported as it is', async () => {
  const run = new SampleRun(await temporaryDirectory());
  const steps = [sampleStep(), sampleStep({ index: 2, status: 'not-started', startedAt: 'not a time' })];
  const deploymentUrl = 'https://app.pulumi.com/acme/web/prod/deployments/1';
  const result = run.result({ steps, message: '', claimedAt: '2026-06-18T10:00:00.500Z', deploymentUrl });
  run.close();
  const report = await reportOf(run.directory, result);
  const at = Date.parse('2026-06-18T10:00:00Z');
  expect(report).toMatchObject({
    outcome: 'succeeded',
    message: 'The deployment ran and every step succeeded.',
    deploymentId: 'dep-1',
    deploymentUrl,
    runSeconds: 58.7512,
    startedAt: at,
    claimedAt: at + 500,
    finishedAt: at + 60_000,
  });
  const cloud = { sent: 12, undelivered: 0 };
  expect(report.steps[0]).toMatchObject({ startedAt: at, finishedAt: at + 4_500, bytes: 400, cloud });
  expect(report.steps.map(({ seconds, status }) => [seconds, status])).toEqual([
    [4.5, 'succeeded'],
    [undefined, 'not-started'],
  ]);
});

test('without a result, the events tell what happened', async () => {
  const run = new SampleRun(await temporaryDirectory());
  const deploymentUrl = 'https://app.pulumi.com/acme/web/prod/deployments/1';
  const ids = { deploymentId: 'dep-1', runId: 'run-1', jobId: 'job-1' };
  run.event({ type: 'claimed', ...ids, deploymentUrl, waitSeconds: 1.25 });
  run.event({ type: 'job-loaded', image: 'img', steps: ['Setup', 'update', 'after'] });
  run.step(0, 'Setup');
  run.finishStep(0, 'Setup', { status: 'failed', exitCode: 3, reason: 'why' });
  run.step(1, 'update');
  run.event({ type: 'notice', level: 'warning', message: 'careful' });
  run.close();
  const report = await reportWithout(run.directory, { outcome: 'failed', message: 'killed' });
  const time = expect.any(Number);
  const end = { status: 'failed', exitCode: 3, reason: 'why', seconds: 2, lines: 3, finishedAt: time };
  expect(report).toEqual({
    ...{ outcome: 'failed', message: 'killed', reported: false, ...ids, deploymentUrl, image: 'img' },
    ...{ claimedAt: time, finishedAt: time, waitSeconds: 1.25, forwarded: [], notices: ['careful'] },
    // A step was running when the agent died.
    lock: { state: 'unknown', step: 'update' },
    statements: [],
    steps: [
      { index: 0, name: 'Setup', startedAt: time, ...end, log: 'steps/00-setup.log' },
      { index: 1, name: 'update', status: 'running', startedAt: time, log: 'steps/01-update.log' },
      { index: 2, name: 'after', status: 'not-started' },
    ],
  });
});

test('a run with several jobs has a report of each, and the identity of the first one that it started', async () => {
  const run = new SampleRun(await temporaryDirectory());
  const result = await sampleOwnRun(run);
  run.close();
  for (const report of [await reportOf(run.directory, result), await reportWithout(run.directory, result)]) {
    expect(report).toMatchObject({
      deploymentId: 'dep-prod',
      runId: 'run-prod',
      jobId: 'job-prod',
      steps: [],
    });
    expect(report.reported).toBe(true);
    expect(
      report.jobs?.map(({ directory, report: { outcome, deployments } }) => [
        directory,
        outcome,
        deployments?.length,
      ]),
    ).toEqual([
      ['deployments/dev', 'succeeded', 1],
      ['deployments/old', 'succeeded', undefined],
      ['deployments/prod', 'failed', 1],
    ]);
  }
});

test('a run with one job, its own, is reported as that job', async () => {
  const run = new SampleRun(await temporaryDirectory());
  const directory = await sampleJob(run, { id: 'prod', text: 'one\n' });
  const deployments = [ownDeployment('prod', { directory })];
  const result = run.result({ message: 'The deployment succeeded.', deployments });
  run.close();
  const report = await reportOf(run.directory, result);
  expect(report).toMatchObject({
    message: 'The deployment succeeded.',
    runId: 'run-1',
    reported: true,
    deployments,
  });
  expect(report.steps.map(({ log }) => log)).toEqual([`${directory}/steps/01-pulumi-update.log`]);
  expect(report.jobs).toBeUndefined();
});
