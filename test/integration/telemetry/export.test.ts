import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NEVER } from '../../../src/base/clock.ts';
import { exportTrace, traceJson } from '../../../src/record/telemetry/export.ts';
import { traceIdOf } from '../../../src/record/trace.ts';
import { type Reply, ScriptedServer } from '../../support/cloud/scripted-server.ts';
import { SampleRun, sampleStep } from '../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const TRACE = { traceId: traceIdOf('dep-1'), flags: '01' };
const CANARY = 'canary-4711';

async function sampleDirectory(flags = '01'): Promise<string> {
  const run = new SampleRun(await temporaryDirectory());
  run.result({ steps: [sampleStep()], trace: { ...TRACE, flags } });
  run.close();
  return run.directory;
}

/** What an export says of a collector with these replies, and how long it took. */
async function exported(endpoint: string, more: Record<string, string> = {}, flags?: string) {
  const directory = await sampleDirectory(flags);
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: `x-key=${CANARY}`,
    ...more,
  };
  const end = await exportTrace(directory, environment, NEVER);
  return { directory, ...end };
}

describe('a collector', () => {
  it('gets protobuf with the headers, once', async () => {
    const server = await ScriptedServer.inOrder({ status: 200 });
    const { warning, traceId } = await exported(`${server.url}/otlp`);
    expect({ warning, traceId }).toEqual({ warning: undefined, traceId: TRACE.traceId });
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        path: '/otlp/v1/traces',
        headers: { 'content-type': 'application/x-protobuf', 'x-key': CANARY },
      },
    ]);
    expect(server.received[0]?.text).toContain('cicd.pipeline.result');
  });

  it('gets JSON on request, the same that the command prints', async () => {
    const server = await ScriptedServer.inOrder({ status: 200, json: {} });
    const more = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_SERVICE_NAME: 'mine' };
    const { directory, warning } = await exported(server.url, more);
    expect(warning).toBeUndefined();
    expect(server.received[0]?.headers['content-type']).toBe('application/json');
    expect(server.received[0]?.text).toBe(await traceJson(directory, more));
    expect(server.received[0]?.text).toContain('"service.name","value":{"stringValue":"mine"}');
  });

  it('gets nothing of a trace that isn’t recorded, nor with tracing off', async () => {
    const server = await ScriptedServer.inOrder({ status: 200 });
    expect((await exported(server.url, {}, '00')).warning).toBeUndefined();
    expect((await exported(server.url, { OTEL_SDK_DISABLED: 'true' })).traceId).toBeUndefined();
    expect((await exported(server.url, { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).warning).toContain(
      'PRA-TRACE-02',
    );
    expect(server.received).toEqual([]);
  });
});

/** `ExportTraceServiceResponse` with 2 rejected spans. */
const PARTIAL = Buffer.from([0x0a, 0x06, 0x08, 0x02, 0x12, 0x02, 0x6e, 0x6f]);

describe('a collector in trouble costs a line', () => {
  it.each([
    ['refuses', { status: 401, text: `no ${CANARY}` }, 'HTTP 401'],
    ['wants an hour', { status: 503, headers: { 'retry-after': '3600' } }, 'HTTP 503 and Retry-After: 3600'],
    ['redirects', { status: 307, headers: { location: 'http://elsewhere.example' } }, 'HTTP 307'],
    ['resets', 'reset', 'ECONNRESET'],
    ['is a web page', { status: 200, text: '<html>' }, 'a web page came'],
    [
      'rejects spans',
      (response) => void response.writeHead(200).end(PARTIAL),
      'it rejected 2 of 2 spans: no',
    ],
    ['lies', { status: 200, text: '\n\u007fgarbage' }, ''],
    ['talks on', { status: 200, text: 'x'.repeat(70_000) }, 'an answer of over 65536 bytes'],
  ] as [string, Reply, string][])('when it %s', async (_, reply, reason) => {
    expect(ProtobufTraceSerializer.deserializeResponse(PARTIAL).partialSuccess?.rejectedSpans).toBe(2);
    const server = await ScriptedServer.inOrder(reply);
    const { warning = '', directory, traceId } = await exported(server.url);
    expect(warning).toMatch(/^Failed to send the trace for the run to 127.0.0.1:\d+: .* See PRA-TRACE-01$/);
    expect(warning).toContain(reason);
    expect(warning).toContain(`Send it later: pulumi-runner-agent trace ${directory} --send.`);
    expect(warning).not.toContain(CANARY);
    expect(warning).not.toContain('\n');
    expect(traceId).toBe(TRACE.traceId);
    expect(server.received).toHaveLength(1);
  });

  it('when it isn’t there: at once', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await exported(`http://127.0.0.1:${port}`);
    const { warning } = await exported(`http://user:${CANARY}@127.0.0.1:${port}`);
    expect(warning).toContain('ECONNREFUSED');
    expect(warning).not.toContain(CANARY);
  });

  it('when it hangs: 3 s at most, less on request', async () => {
    const server = await ScriptedServer.inOrder('hang');
    const [three, less] = await Promise.all([
      exported(server.url, { OTEL_EXPORTER_OTLP_TIMEOUT: '60000' }),
      exported(server.url, { OTEL_EXPORTER_OTLP_TIMEOUT: '500' }),
    ]);
    expect(three.warning).toContain('no answer within 3 s');
    expect(less.warning).toContain('no answer within 0.5 s');
  });

  it('when it sends half an answer', async () => {
    const silent = createServer(
      (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'),
    );
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const { warning } = await exported(`http://127.0.0.1:${port}`, { OTEL_EXPORTER_OTLP_TIMEOUT: '400' });
    expect(warning).toContain('no answer within 0.4 s');
  });

  it('behind a proxy, which is used', async () => {
    const proxy = await ScriptedServer.inOrder({ status: 200 });
    const { warning } = await exported('http://collector.example:4318', { HTTP_PROXY: proxy.url });
    expect(warning).toBeUndefined();
    expect(proxy.received[0]?.path).toBe('http://collector.example:4318/v1/traces');
  });

  it('when a record can’t be read', async () => {
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    const end = await exportTrace(await temporaryDirectory(), environment, NEVER);
    expect(end.warning).toContain('has none');
  });
});
