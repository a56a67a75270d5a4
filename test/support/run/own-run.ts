import { mkdir } from 'node:fs/promises';
import type { OwnDeployment } from '../../../src/record/deployment.ts';
import { reportOf } from '../../../src/record/report/report.ts';
import type { RunResult, StepResult } from '../../../src/record/schema.ts';
import { SampleRun, sampleStep } from './sample-run.ts';
import { temporaryDirectory } from './temporary-directory.ts';

interface SampleJob {
  readonly id: string;
  readonly text: string;
  readonly over?: Partial<StepResult>;
  readonly result?: Partial<RunResult>;
}

/** Writes a job's run directory as the agent does, and its events to `run`; returns its path inside the run's. */
export async function sampleJob(
  run: SampleRun,
  { id, text, over = {}, result = {} }: SampleJob,
): Promise<string> {
  const path = `deployments/${id}`;
  await mkdir(run.path(path), { recursive: true });
  const job = new SampleRun(run.path(path), (event) => {
    if (result.elsewhere) return;
    if (event.type === 'step-started') run.event({ ...event, log: `${path}/${event.log}` });
    else if (event.type !== 'outcome') run.event(event);
  });
  const deploymentId = `dep-${id}`;
  const ids = { deploymentId, runId: `run-${id}`, jobId: `job-${id}` };
  const identity = {
    ...{ organization: 'acme', project: 'web', stack: id },
    operation: 'update',
    version: 6,
    proven: true,
  };
  job.event({ type: 'claimed', ...ids, identity, waitSeconds: 1.25 });
  const step = sampleStep({ lines: text.split('\n').length - 1, ...over });
  job.step(1, step.name)(text);
  job.finishStep(1, step.name, {
    status: step.status === 'failed' ? 'failed' : 'succeeded',
    lines: step.lines,
  });
  job.result({
    ...ids,
    identity,
    outcome: step.status === 'failed' ? 'failed' : 'succeeded',
    reported: true,
    steps: [step],
    ...result,
  });
  job.close();
  return path;
}

/** An ended deployment that a run started. */
export function ownDeployment(stack: string, over: Partial<OwnDeployment> = {}): OwnDeployment {
  return {
    stack: `acme/web/${stack}`,
    operation: 'update',
    deploymentId: `dep-${stack}`,
    version: 7,
    consoleUrl: `https://app.pulumi.com/acme/web/${stack}/deployments/7`,
    state: 'ended',
    outcome: 'succeeded',
    ranHere: true,
    seconds: 10,
    ...over,
  };
}

/** A run that started several deployments, and its report. */
export async function reportedOwnRun() {
  const run = new SampleRun(await temporaryDirectory());
  const result = await sampleOwnRun(run);
  run.close();
  const { directory } = run;
  return { directory, result, report: await reportOf(directory, result) };
}

/** A run of three deployments (failed here, ended elsewhere with drift, failed to start) that also ran another job. */
export async function sampleOwnRun(run: SampleRun) {
  const prod = ownDeployment('prod', {
    outcome: 'failed',
    message: 'Failed to run step 1.',
    changes: { create: 5 },
  });
  const drifted = { drift: true, driftRun: { id: 'run-7', changes: { update: 2, delete: 1 } } };
  const dev = ownDeployment('dev', { ranHere: false, changes: { same: 4, update: 1 }, ...drifted });
  const none: OwnDeployment = {
    ...{ stack: 'acme/web/none', operation: 'update', state: 'ended', ranHere: false },
    ...{ outcome: 'config-error', message: 'Failed to start update for acme/web/none: no such stack.' },
  };
  for (const each of [prod, dev])
    run.event({ type: 'own-deployment', ...each, state: 'waiting', ranHere: false });
  run.event({ type: 'own-deployment', ...none });
  await sampleJob(run, { id: 'old', text: 'of another\n' });
  const over = { status: 'failed', exitCode: 137, cloud: { sent: 1, undelivered: 2 } } as const;
  const directory = await sampleJob(run, { id: 'prod', text: 'one\ntwo\nerror: it exists\n', over });
  const elsewhere = await sampleJob(run, {
    id: 'dev',
    text: 'seen from afar\n',
    result: { elsewhere: true },
  });
  const deployments = [{ ...prod, directory }, { ...dev, directory: elsewhere }, none];
  for (const each of deployments) run.event({ type: 'own-deployment', ...each });
  const message = '2 of 3 deployments did not succeed: acme/web/prod, acme/web/none.';
  const {
    runId: _,
    jobId: __,
    ...result
  } = run.result({ outcome: 'failed', exitCode: 1, message, deployments });
  return { ...result, drift: true, deploymentId: 'dep-prod' };
}
