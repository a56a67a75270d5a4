import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEvents, readResult } from '../../../src/record/reader.ts';
import { spanIdOf } from '../../../src/record/telemetry/ids.ts';
import { traceIdOf } from '../../../src/record/trace.ts';
import { ScriptedServer } from '../../support/cloud/scripted-server.ts';
import { definition, POOL } from '../../support/e2e/stage.ts';
import { openScene } from '../observability/scene.ts';

const PARENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };
const TRACEPARENT = `00-${PARENT.traceId}-${PARENT.span}-01`;
const CANARY = 'canary-4711';
const SECRET = 'canary-of-the-job';
const SHOW = 'echo "trace=$TRACEPARENT state=$TRACESTATE"';

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

/** The spans of each request. */
function sentTo(collector: ScriptedServer): SentSpan[][] {
  return collector.received.map(({ text }) => {
    const { resourceSpans } = JSON.parse(text) as {
      resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[];
    };
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  });
}

async function traced(over: Readonly<Record<string, string>> = {}) {
  const collector = await ScriptedServer.inOrder({ status: 200, json: {} });
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-key=${CANARY}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    ...over,
  };
  return { collector, environment, ...(await openScene()) };
}

const linesOf = (deployment: { readonly steps: readonly { readonly lines: readonly { l: string }[] }[] }) =>
  deployment.steps.flatMap(({ lines }) => lines.map(({ l }) => l)).join('');

describe('a run', () => {
  it('is part of the environment’s trace, down to each step, and sent after run.json', async () => {
    const { cloud, collector, environment, runs, start } = await traced({ TRACEPARENT, TRACESTATE: 'a=1' });
    const env = { API_KEY: { secret: SECRET }, PLAIN_URL: `https://user:${SECRET}@example.com` };
    const job = definition({ 'pulumi up': `${SHOW}; echo "$API_KEY $PLAIN_URL"` }, { env });
    const deployment = cloud.enqueue({ project: 'web', stack: 'dev', poolId: POOL.id, job });
    const { code, stderr } = await start({ SINGLE_RUN: 'true' }, environment).ended;
    expect(code).toBe(0);

    const { jobId } = deployment;
    expect(linesOf(deployment)).toContain(`trace=00-${PARENT.traceId}-${spanIdOf(jobId, 1)}-01 state=a=1`);
    const trace = { traceId: PARENT.traceId, parentId: PARENT.span, flags: '01', state: 'a=1' };
    expect((await readResult(runs))?.trace).toEqual(trace);
    expect((await readEvents(runs))[0]).toMatchObject({ type: 'agent-started', trace });

    const [spans = []] = sentTo(collector);
    expect(collector.received).toHaveLength(1);
    expect(spans.map(({ name }) => name)).toEqual([
      'RUN acme/web/dev',
      'wait',
      expect.any(String),
      'pulumi up',
      'report',
    ]);
    expect(spans[0]).toMatchObject({
      spanId: spanIdOf(jobId),
      parentSpanId: PARENT.span,
      traceId: PARENT.traceId,
    });
    expect(spans[3]).toMatchObject({ spanId: spanIdOf(jobId, 1), parentSpanId: spanIdOf(jobId) });
    for (const hidden of [CANARY, SECRET]) expect(collector.received[0]?.text).not.toContain(hidden);
    expect(stderr).toContain(`Sent the trace ${PARENT.traceId}.`);
    for (const file of await readdir(runs, { recursive: true, withFileTypes: true }))
      if (file.isFile())
        expect(await readFile(join(file.parentPath, file.name), 'utf8')).not.toContain(CANARY);
  }, 60_000);

  it('without variables sends nothing, and its steps get nothing', async () => {
    const { runs, start, enqueue } = await traced();
    const deployment = enqueue(SHOW);
    const github = { GITHUB_RUN_ID: '123', GITHUB_RUN_ATTEMPT: '1' };
    expect((await start({ SINGLE_RUN: 'true' }, { TRACEPARENT: 'none', ...github }).ended).code).toBe(0);
    expect(linesOf(deployment)).toContain('trace= state=');
    const traceId = createHash('sha256').update('1231t').digest('hex').slice(0, 32);
    expect((await readResult(runs))?.trace).toEqual({ traceId, flags: '01' });
  }, 60_000);

  it('that isn’t recorded sends nothing, and its steps get what came', async () => {
    const unrecorded = TRACEPARENT.replace(/01$/, '00');
    const { collector, environment, start, enqueue } = await traced({ TRACEPARENT: unrecorded });
    const deployment = enqueue(SHOW);
    expect((await start({ SINGLE_RUN: 'true' }, environment).ended).code).toBe(0);
    expect(linesOf(deployment)).toContain(`trace=${unrecorded} `);
    expect(collector.received).toEqual([]);
  }, 60_000);

  it('leaves a step the deployment’s own trace', async () => {
    const { environment, start, cloud } = await traced();
    const job = definition({ 'pulumi up': SHOW }, { env: { TRACEPARENT } });
    const deployment = cloud.enqueue({ project: 'web', stack: 'dev', poolId: POOL.id, job });
    expect((await start({ SINGLE_RUN: 'true' }, environment).ended).code).toBe(0);
    expect(linesOf(deployment)).toContain(`trace=${TRACEPARENT} state=`);
  }, 60_000);

  it('has the same end with a collector that refuses', async () => {
    const { environment, start, enqueue } = await traced({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    });
    enqueue('exit 3');
    const { code, stderr } = await start({ SINGLE_RUN: 'true' }, environment).ended;
    expect(code).toBe(1);
    expect(stderr.match(/PRA-TRACE-01/g)).toHaveLength(1);
    expect(stderr).not.toContain(CANARY);
  }, 60_000);
});

it('a lasting agent makes a trace of each job', async () => {
  const { collector, environment, start, enqueue } = await traced({ TRACEPARENT });
  const agent = start({}, environment);
  const jobs = [enqueue(SHOW, 'one'), enqueue(SHOW, 'two')];
  await collector.until(() => collector.received.length === 2);
  agent.child.kill('SIGTERM');
  await agent.ended;

  const traces = sentTo(collector).map((spans) => new Set(spans.map(({ traceId }) => traceId)));
  expect(traces).toEqual(jobs.map(({ id }) => new Set([traceIdOf(id)])));
  for (const { id, jobId, ...deployment } of jobs)
    expect(linesOf({ steps: deployment.steps })).toContain(
      `trace=00-${traceIdOf(id)}-${spanIdOf(jobId, 1)}-01`,
    );
}, 60_000);
