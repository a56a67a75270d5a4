import { describe, expect, it } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import { traceIdOf } from '../../../src/record/trace.ts';
import { ScriptedServer } from '../../support/cloud/scripted-server.ts';
import { SampleRun, sampleStep } from '../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

/** Runs the command on this record, and returns what it printed. */
async function traced(argv: readonly string[], environment: Record<string, string> = {}) {
  let [stdout, stderr] = ['', ''];
  const streams = {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
  };
  const code = await main({
    argv: ['trace', ...argv],
    environment,
    workingDirectory: '/',
    agentDirectory: '/',
    process: streams as unknown as NodeJS.Process,
    exit: () => undefined,
  });
  return { code, stdout, stderr };
}

/** A record as version 1.0.0 wrote it: without a trace. */
async function oldRecord(): Promise<string> {
  const run = new SampleRun(await temporaryDirectory());
  run.result({ steps: [sampleStep()] });
  run.close();
  return run.directory;
}

describe('the command trace', () => {
  it('prints an old record as OTLP JSON, the same bytes each time', async () => {
    const directory = await oldRecord();
    const first = await traced([directory], { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(await traced([directory])).toEqual(first);
    const { resourceSpans } = JSON.parse(first.stdout) as {
      resourceSpans: { scopeSpans: { spans: { traceId: string; name: string }[] }[] }[];
    };
    const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    expect(spans.map(({ name }) => name)).toEqual(['RUN', 'pulumi update']);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf('dep-1')]));
  });

  it('sends it on request', async () => {
    const server = await ScriptedServer.inOrder({ status: 200 });
    const sent = await traced(['--send', await oldRecord()], { OTEL_EXPORTER_OTLP_ENDPOINT: server.url });
    expect(sent).toEqual({ code: 0, stdout: `Sent the trace ${traceIdOf('dep-1')}.\n`, stderr: '' });
    expect(server.received).toHaveLength(1);
  });

  it('fails without a collector, with one that refuses, and without a record', async () => {
    const directory = await oldRecord();
    const unset = await traced(['--send', directory]);
    expect(unset).toMatchObject({ code: 2, stderr: expect.stringContaining('PRA-TRACE-02') });

    const grpc = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    const unfit = await traced(['--send', directory], grpc);
    expect(unfit).toMatchObject({ code: 1, stderr: expect.stringMatching(/grpc.*See PRA-TRACE-02\n$/) });

    const server = await ScriptedServer.inOrder({ status: 401 });
    const refused = await traced(['--send', directory], { OTEL_EXPORTER_OTLP_ENDPOINT: server.url });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/HTTP 401.*PRA-TRACE-01\n$/) });

    const none = await traced([await temporaryDirectory()]);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('See PRA-TRACE-03') });
  });
});
