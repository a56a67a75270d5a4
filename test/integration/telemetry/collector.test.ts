import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { NEVER } from '../../../src/base/clock.ts';
import { freePort } from '../../../src/pulumi-agent/agent-health.ts';
import { exportTrace } from '../../../src/record/telemetry/export.ts';
import { spanIdOf, tracingOf } from '../../../src/record/telemetry/ids.ts';
import { traceIdOf } from '../../../src/record/trace.ts';
import { jobOf } from '../../support/agent/claimed-run.ts';
import { agentOf } from '../../support/agent/cloud-agent.ts';
import { ScriptedServer } from '../../support/cloud/scripted-server.ts';
import { bridgeAddress } from '../../support/docker/bridge-address.ts';
import { definition, POOL } from '../../support/e2e/stage.ts';
import { pulumiCli } from '../../support/pulumi/cli.ts';
import { SampleRun, sampleStep } from '../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';
import { programPath, scriptOutput } from '../../support/script.ts';
import { SHELLS_IMAGE } from '../interrupt/tofu.ts';
import { openScene } from '../observability/scene.ts';

interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
}

interface CollectedTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: CollectedSpan['attributes'] };
    readonly schemaUrl?: string;
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[];
  }[];
}

/** A real Collector on every address; `spans` are those that it has sent on. Ends with the running test. */
async function startCollector() {
  const sink = await ScriptedServer.inOrder({ status: 200, json: {} });
  const [port, grpcPort] = [await freePort(), await freePort()];
  const file = join(await temporaryDirectory(), 'collector.json');
  const exporter = {
    endpoint: sink.url,
    encoding: 'json',
    compression: 'none',
    sending_queue: { enabled: false },
  };
  const service = {
    pipelines: { traces: { receivers: ['otlp'], exporters: ['otlp_http'] } },
    telemetry: { metrics: { level: 'none' } },
  };
  const protocols = { http: { endpoint: `0.0.0.0:${port}` }, grpc: { endpoint: `127.0.0.1:${grpcPort}` } };
  const receiver = { protocols };
  const config = { receivers: { otlp: receiver }, exporters: { otlp_http: exporter }, service };
  await writeFile(file, JSON.stringify(config));

  const child = spawn(await programPath('collector'), ['--config', `file:${file}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += String(chunk);
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  await vi
    .waitUntil(() => said.includes('Everything is ready') || child.exitCode !== null, { timeout: 20_000 })
    .catch(() => undefined);
  expect(said).toContain('Everything is ready');

  const batches = () => sink.received.map(({ text }) => JSON.parse(text) as CollectedTraces);
  const resources = () => batches().flatMap(({ resourceSpans }) => resourceSpans);
  const spans = () =>
    resources().flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => [...scope.spans]));
  return { port, grpcPort, resources, spans, said: () => said };
}

it.each(['http/protobuf', 'http/json'])(
  'the Collector takes %s, and reads what was meant',
  async (protocol) => {
    const { port, resources, spans } = await startCollector();
    const run = new SampleRun(await temporaryDirectory());
    const trace = { traceId: traceIdOf('dep-1'), parentId: '00f067aa0ba902b7', flags: '01', state: 'a=1' };
    const failed = sampleStep({ status: 'failed', exitCode: 3 });
    run.result({
      outcome: 'failed',
      code: 'PRA-JOB-01',
      exitCode: 1,
      steps: [failed],
      trace,
      imageDigest: 'i@sha256:1',
    });
    run.close();

    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    };
    const end = await exportTrace(run.directory, environment, NEVER);
    expect(end).toEqual({ outcome: 'sent', traceId: trace.traceId });

    const [root, step] = spans();
    expect(root).toMatchObject({
      traceId: trace.traceId,
      spanId: spanIdOf('job-1'),
      parentSpanId: trace.parentId,
      traceState: 'a=1',
      name: 'RUN',
      kind: 2,
      startTimeUnixNano: String(BigInt(Date.parse('2026-06-18T10:00:00.000Z')) * 1_000_000n),
      endTimeUnixNano: String(BigInt(Date.parse('2026-06-18T10:01:00.000Z')) * 1_000_000n),
      status: { code: 2 },
    });
    expect(step).toMatchObject({
      parentSpanId: root?.spanId,
      name: 'pulumi update',
      kind: 1,
      status: { code: 2 },
    });
    expect(step?.attributes).toContainEqual({ key: 'process.exit.code', value: { intValue: '3' } });
    const [{ resource, schemaUrl } = expect.fail('nothing was sent')] = resources();
    expect(schemaUrl).toBe('https://opentelemetry.io/schemas/1.45.0');
    expect(resource.attributes).toContainEqual({
      key: 'container.image.repo_digests',
      value: { arrayValue: { values: [{ stringValue: 'i@sha256:1' }] } },
    });
  },
  60_000,
);

it('OpenTofu in the job’s container joins below its step', async () => {
  await scriptOutput('shells-image', []);
  const { port, spans } = await startCollector();
  const { cloud, start } = await openScene();
  const script = `mkdir /tmp/work && cd /tmp/work && echo 'resource "terraform_data" "one" {}' > main.tf
tofu apply -auto-approve -no-color`;
  const env = {
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${bridgeAddress()}:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
  };
  const job = definition({ 'tofu apply': script }, { env, image: { reference: SHELLS_IMAGE } });
  const deployment = cloud.enqueue({ project: 'web', stack: 'dev', poolId: POOL.id, job });
  const settings = { SINGLE_RUN: 'true', CONTAINER_NETWORK: 'bridge' };
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
  const { code, stderr } = await start(settings, endpoint).ended;
  expect(code, `${stderr}${JSON.stringify(deployment.steps)}`).toBe(0);

  const { id, jobId } = deployment;
  expect(new Set(spans().map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(id)]));
  const step = spans().find(({ spanId }) => spanId === spanIdOf(jobId, 1));
  expect(step?.name).toBe('tofu apply');
  const below = spans().filter(({ parentSpanId }) => parentSpanId === step?.spanId);
  expect(below.map(({ name }) => name).join()).toMatch(/apply|tofu|command/i);
  expect(spans().length).toBeGreaterThan(6);
}, 120_000);

it.each(['grpc', 'http'] as const)(
  'Pulumi’s CLI joins below its step by %s, with its calls to Pulumi Cloud and to providers, and without a secret',
  async (scheme) => {
    const { port, grpcPort, spans } = await startCollector();
    const tracing = tracingOf({}, { singleRun: true, isOn: true });
    const { agent, cloud, enqueue, result } = await agentOf({ options: { tracing } });
    const cli = await pulumiCli(cloud);
    await cli.output('stack', 'init', 'acme/network/prod');
    expect(spans()).toEqual([]);
    const env = {
      ...cli.environment,
      PULUMI_ACCESS_TOKEN: cloud.userToken,
      PULUMI_OPTION_OTEL_TRACES: `${scheme}://127.0.0.1:${scheme === 'grpc' ? grpcPort : port}`,
    };
    const script = `cd ${cli.repository}; pulumi up --yes --skip-preview --stack acme/network/prod`;
    const deployment = enqueue({ ...jobOf(script), env });
    await agent.run();
    expect((await result())?.outcome, JSON.stringify(deployment.steps)).toBe('succeeded');

    const below = spans().filter(({ parentSpanId }) => parentSpanId === spanIdOf(deployment.jobId, 1));
    expect(below.map(({ name }) => name)).toEqual(['pulumi']);
    // Its calls in the background begin traces of their own.
    const joined = spans().filter(({ traceId }) => traceId === traceIdOf(deployment.id));
    const work = ['pulumi-plan', 'run-program', 'pulumirpc.ResourceProvider/Create', 'api/completeUpdate'];
    expect(joined.map(({ name }) => name)).toEqual(expect.arrayContaining(work));
    const everything = JSON.stringify(spans());
    expect(everything).not.toContain('token-of-first');
    expect(everything).not.toContain(cloud.userToken);
  },
  60_000,
);
