import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { RunReport, StepReport } from '../../../../src/record/report/report.ts';
import { traceJson } from '../../../../src/record/telemetry/export.ts';
import { spanIdOf } from '../../../../src/record/telemetry/ids.ts';
import { readTrace } from '../../../../src/record/telemetry/run-trace.ts';
import { type Pipeline, spansOf } from '../../../../src/record/telemetry/spans.ts';
import { traceIdOf } from '../../../../src/record/trace.ts';
import { reportedOwnRun } from '../../../support/run/own-run.ts';
import { OWNER, SampleRun, sampleStep } from '../../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../../support/run/temporary-directory.ts';

const PAGE = 'https://app.pulumi.com/acme/web/prod/deployments/7';
const OWN = { host: 'runner', pid: 7, started: '1' };

const REPORT: RunReport = {
  outcome: 'succeeded',
  exitCode: 0,
  message: 'Done.',
  version: '1.0.0',
  owner: OWN,
  deploymentId: 'dep-1',
  jobId: 'job-1',
  identity: { organization: 'acme', project: 'web', stack: 'prod', proven: true },
  deploymentUrl: PAGE,
  image: 'pulumi/pulumi:3',
  imageDigest: 'pulumi/pulumi@sha256:abc',
  startedAt: 1_000,
  claimedAt: 4_000,
  finishedAt: 9_000,
  waitSeconds: 2.5,
  forwarded: [],
  notices: [],
  steps: [
    step({ index: 0, name: 'Setup' }),
    step({ index: 1, name: 'pulumi up', startedAt: 6_000, finishedAt: 8_000 }),
  ],
};

function step(over: Partial<StepReport>): StepReport {
  const times = { startedAt: 4_000, finishedAt: 6_000 };
  return { index: 1, name: 'pulumi up', status: 'succeeded', exitCode: 0, ...times, ...over };
}

function spans(over: Partial<RunReport> = {}, more: Partial<Pipeline> = {}) {
  return spansOf({ report: { ...REPORT, ...over }, reportedAt: 8_500, attributes: {}, ...more });
}

/** Of an agent that died without a verdict. */
const DEAD = { exitCode: undefined as never };

const resultOf = (over: Partial<RunReport>) =>
  spans(over).find(({ isServer }) => isServer)?.attributes['cicd.pipeline.result'];

describe('the spans of a run', () => {
  it('are the run, its wait, each begun step and the report, with the names of the conventions', () => {
    const [run, ...parts] = spans();
    expect(run).toMatchObject({
      id: spanIdOf('job-1'),
      name: 'RUN acme/web/prod',
      isServer: true,
      from: 1_000,
      to: 9_000,
      attributes: { 'cicd.pipeline.action.name': 'RUN', 'cicd.pipeline.result': 'success' },
      resource: {
        'service.name': 'pulumi-runner-agent',
        'service.version': '1.0.0',
        'host.name': 'runner',
        'cicd.worker.id': 'runner/7',
        'cicd.pipeline.name': 'acme/web/prod',
        'cicd.pipeline.run.id': 'dep-1',
        'cicd.pipeline.run.url.full': PAGE,
        'container.image.name': 'pulumi/pulumi:3',
        'container.image.repo_digests': ['pulumi/pulumi@sha256:abc'],
      },
    });
    expect(run?.failure).toBeUndefined();
    expect(run?.parentId).toBeUndefined();
    expect(
      parts.map(({ name, id, from, to, parentId }) => [name, id, from, to, parentId === run?.id]),
    ).toEqual([
      ['wait', spanIdOf('job-1', 'wait'), 1_500, 4_000, true],
      ['Setup', spanIdOf('job-1', 0), 4_000, 6_000, true],
      ['pulumi up', spanIdOf('job-1', 1), 6_000, 8_000, true],
      ['report', spanIdOf('job-1', 'report'), 8_000, 8_500, true],
    ]);
    expect(parts[2]?.attributes).toEqual({
      'cicd.pipeline.task.name': 'pulumi up',
      'cicd.pipeline.task.run.id': 'job-1/1',
      'cicd.pipeline.task.run.url.full': PAGE,
      'cicd.pipeline.task.run.result': 'success',
      'process.exit.code': 0,
    });
  });

  it('are none without both their times, except for what ran when the agent died', () => {
    const running = step({ index: 1, status: 'running' });
    delete (running as { finishedAt?: number }).finishedAt;
    const steps = [running, step({ index: 2, status: 'not-started', startedAt: undefined as never })];
    const names = (died: boolean) =>
      spans({ steps, ...(died && DEAD) }, { reportedAt: undefined }).map(({ name }) => name);
    expect(names(false)).toEqual(['RUN acme/web/prod', 'wait']);
    expect(names(true)).toEqual(['RUN acme/web/prod', 'wait', 'pulumi up']);
    expect(spans({ steps, ...DEAD })[2]).toMatchObject({
      to: 9_000,
      attributes: { 'cicd.pipeline.task.run.result': 'error', 'error.type': 'PRA-CONFIG-14' },
    });
    expect(spansOf({ report: { ...REPORT, startedAt: undefined as never }, attributes: {} })).toEqual([]);
  });

  it('of a run that claimed nothing have the run’s own ID', () => {
    const { jobId: _, identity: __, deploymentId: ___, claimedAt: ____, ...rest } = REPORT;
    const [run, wait] = spansOf({
      report: { ...rest, outcome: 'no-work', steps: [] },
      attributes: { 'service.name': 'mine' },
    });
    expect(run).toMatchObject({
      name: 'RUN',
      id: spanIdOf('runner/7/1/1000'),
      resource: { 'service.name': 'mine' },
    });
    expect(run?.attributes['cicd.pipeline.result']).toBe('skip');
    expect(wait).toMatchObject({ name: 'wait', from: 6_500, to: 9_000 });
  });

  it.each([
    ['success', { outcome: 'succeeded' }],
    ['skip', { outcome: 'no-work' }],
    ['cancellation', { outcome: 'cancelled', code: 'PRA-JOB-03' }],
    ['cancellation', { outcome: 'interrupted', code: 'PRA-JOB-03' }],
    ['timeout', { outcome: 'failed', code: 'PRA-JOB-06' }],
    ['error', { outcome: 'failed', code: 'PRA-JOB-07' }],
    ['error', { outcome: 'lease-lost', code: 'PRA-JOB-03' }],
    ['error', { outcome: 'auth-error' }],
    ['error', { outcome: 'failed', code: 'PRA-JOB-02' }],
    ['failure', { outcome: 'failed', code: 'PRA-JOB-01', steps: [step({ status: 'failed', exitCode: 3 })] }],
    [
      'timeout',
      {
        outcome: 'failed',
        steps: [step({ status: 'failed', exitCode: 130, reason: 'timed out', failure: 'timeout' })],
      },
    ],
    [
      'error',
      {
        outcome: 'failed',
        steps: [step({ status: 'failed', exitCode: 137, reason: 'out of memory', failure: 'memory' })],
      },
    ],
  ] as [string, Partial<RunReport>][])('result in %s: %j', (result, over) => {
    expect(resultOf(over)).toBe(result);
  });

  it('say what went wrong by the run’s code, or the step’s exit code', () => {
    const failed = step({ status: 'failed', exitCode: 3 });
    const [run, , task] = spans({
      outcome: 'failed',
      code: 'PRA-JOB-01',
      message: 'It failed.',
      steps: [failed],
    });
    expect(run).toMatchObject({ failure: 'It failed.', attributes: { 'error.type': 'PRA-JOB-01' } });
    expect(task).toMatchObject({
      failure: 'exit code 3',
      attributes: { 'error.type': '3', 'process.exit.code': 3, 'cicd.pipeline.task.run.result': 'failure' },
    });
    const [late, , slow] = spans({
      outcome: 'failed',
      code: 'PRA-JOB-06',
      steps: [step({ status: 'failed', exitCode: 130, reason: 'the job timed out' })],
    });
    expect([late, slow].map((span) => span?.attributes['error.type'])).toEqual(['PRA-JOB-06', 'PRA-JOB-06']);
    expect(resultOf(DEAD)).toBe('error');
  });

  it('of a step that a cancelled run did not begin, or that it ended, say so', () => {
    const steps = [
      step({ index: 1, status: 'failed', exitCode: 130 }),
      step({ index: 2, status: 'failed', reason: 'cancelled', failure: 'not-run' }),
    ];
    const [run, , ended, skipped] = spans({ outcome: 'cancelled', code: 'PRA-JOB-03', steps });
    expect(run?.failure).toBeUndefined();
    expect(run?.attributes['error.type']).toBeUndefined();
    expect([ended, skipped].map((span) => span?.attributes['cicd.pipeline.task.run.result'])).toEqual([
      'cancellation',
      'skip',
    ]);
  });
});

describe('the trace of a run directory', () => {
  const times = { startedAt: '2026-06-18T10:00:00.000Z', finishedAt: '2026-06-18T10:01:00.000Z' };

  it('is the recorded one; without one it is that of its deployment', async () => {
    const run = new SampleRun(await temporaryDirectory());
    run.result({ ...times, steps: [sampleStep()] });
    run.close();
    expect(await readTrace(run.directory, {})).toMatchObject({ traceId: traceIdOf('dep-1'), flags: '01' });

    const traced = new SampleRun(await temporaryDirectory());
    const trace = {
      traceId: 'ab'.repeat(16),
      parentId: 'cd'.repeat(8),
      flags: '01',
      state: 'a=1',
      repository: 'https://r',
      revision: 'c0ffee',
    };
    traced.result({ ...times, trace });
    traced.close();
    const read = await readTrace(traced.directory, { team: 'infra' });
    expect(read).toMatchObject({ traceId: trace.traceId, parentId: trace.parentId, state: 'a=1' });
    expect(read.spans[0]).toMatchObject({
      parentId: trace.parentId,
      resource: { 'vcs.repository.url.full': 'https://r', 'vcs.ref.head.revision': 'c0ffee', team: 'infra' },
    });
  });

  it('of an agent that died ends with its last sign of life', async () => {
    const run = new SampleRun(await temporaryDirectory());
    const trace = { traceId: 'ab'.repeat(16), flags: '01' };
    run.event({ type: 'agent-started', version: '1.0.0', owner: OWNER, trace });
    run.claim();
    run.event({ type: 'job-loaded', image: 'pulumi/pulumi:3', steps: ['Setup', 'pulumi up'] });
    run.step(1, 'pulumi up');
    run.close();
    const last = new Date(Date.now() + 60_000).toISOString();
    await writeFile(run.path('health.ndjson'), `{"t":"${last}","status":"healthy"}\n`);

    const {
      traceId,
      spans: [first, ...rest],
    } = await readTrace(run.directory, {});
    expect(traceId).toBe(trace.traceId);
    expect(first).toMatchObject({
      id: spanIdOf('job-1'),
      to: Date.parse(last),
      attributes: { 'cicd.pipeline.result': 'error', 'error.type': 'PRA-CONFIG-14' },
      resource: { 'host.name': OWNER.host, 'service.version': '1.0.0' },
    });
    expect(rest.find(({ name }) => name === 'pulumi up')).toMatchObject({ to: Date.parse(last) });
  });

  it('of several deployments has each job below the run', async () => {
    const { directory } = await reportedOwnRun();
    const {
      spans: [run, ...rest],
    } = await readTrace(directory, {});
    expect(run).toMatchObject({ name: 'RUN', isServer: true });
    const jobs = rest.filter(({ isServer }) => isServer);
    expect(jobs.length).toBeGreaterThan(1);
    for (const job of jobs) {
      expect(job.parentId).toBe(run?.id);
      expect(rest.some(({ parentId }) => parentId === job.id)).toBe(true);
    }
    expect(new Set(rest.map(({ id }) => id)).size).toBe(rest.length);
  });

  it('is the same bytes each time, as OTLP JSON', async () => {
    const { directory } = await reportedOwnRun();
    const [first, second] = [await traceJson(directory, {}), await traceJson(directory, {})];
    expect(second).toBe(first);
    const { resourceSpans } = JSON.parse(first) as {
      resourceSpans: { scopeSpans: { spans: unknown[] }[] }[];
    };
    expect(resourceSpans.length).toBeGreaterThan(1);
    expect(resourceSpans[0]?.scopeSpans[0]?.spans[0]).toMatchObject({ name: 'RUN', kind: 2 });
  });

  it('is none of a folder without a record', async () => {
    await expect(readTrace(await temporaryDirectory(), {})).rejects.toMatchObject({ code: 'PRA-TRACE-03' });
  });
});
