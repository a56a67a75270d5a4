import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHeaders, telemetrySecrets } from '../../../../src/base/log/telemetry-secrets.ts';
import { readTelemetry, resourceAttributes } from '../../../../src/record/telemetry/settings.ts';

const ENDPOINT = 'http://collector:4318';
const on = (more: Record<string, string> = {}) =>
  readTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, ...more });

describe('the settings of tracing', () => {
  it('are off without an endpoint, and by the variables that say so', () => {
    expect(readTelemetry({ OTEL_EXPORTER_OTLP_HEADERS: 'a=b', OTEL_SERVICE_NAME: 'x' })).toEqual({});
    for (const off of [
      { OTEL_SDK_DISABLED: 'TRUE' },
      { OTEL_TRACES_EXPORTER: 'none' },
      { OTEL_TRACES_EXPORTER: 'console' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
    ])
      expect(on(off)).toEqual({});
    expect(on({ OTEL_TRACES_EXPORTER: 'console, otlp', OTEL_SDK_DISABLED: 'false' }).settings).toBeDefined();
  });

  it('have the defaults of OTLP/HTTP, and 3 s', () => {
    expect(on().settings).toEqual({
      endpoint: `${ENDPOINT}/v1/traces`,
      variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      headers: {},
      protocol: 'http/protobuf',
      timeoutMs: 3_000,
    });
  });

  it('append the path to the common endpoint only', () => {
    expect(on({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c/otlp/' }).settings?.endpoint).toBe(
      'https://c/otlp/v1/traces',
    );
    expect(on({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://c/mine?key=v' }).settings).toMatchObject({
      endpoint: 'https://c/mine?key=v',
      variable: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    });
  });

  it('are those for traces before the common ones', () => {
    const settings = on({
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'B=2%2C3',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TIMEOUT: '10',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '500',
    }).settings;
    expect(settings).toMatchObject({ headers: { b: '2,3' }, protocol: 'http/json', timeoutMs: 500 });
  });

  it.each(['10000', '3001', '0', '-1', 'soon'])('wait 3 s with a timeout of %s', (timeout) => {
    expect(on({ OTEL_EXPORTER_OTLP_TIMEOUT: timeout }).settings?.timeoutMs).toBe(3_000);
  });

  it('make a header of the credentials in an endpoint, unless there is one', () => {
    const endpoint = 'https://user:p%40ss@c';
    const authorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(on({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }).settings).toMatchObject({
      endpoint: 'https://c/v1/traces',
      headers: { authorization },
    });
    const both = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=mine' };
    expect(on(both).settings?.headers).toEqual({ authorization: 'mine' });
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    [{ OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'no header' }, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=b%0Ac' }, 'OTEL_EXPORTER_OTLP_HEADERS'],
  ])('%j is one warning, and sends nothing', (more, name) => {
    const { settings, warning } = on(more);
    expect(settings).toBeUndefined();
    expect(warning).toMatch(new RegExp(`^Failed to read ${name} for the trace: .* See PRA-TRACE-02$`));
  });

  it('never throw', () => {
    const names = ['ENDPOINT', 'HEADERS', 'PROTOCOL', 'TIMEOUT', 'TRACES_ENDPOINT', 'TRACES_HEADERS'];
    const environments = fc.dictionary(
      fc.constantFrom(...names.map((name) => `OTEL_EXPORTER_OTLP_${name}`)),
      fc.oneof(fc.string(), fc.webUrl(), fc.string({ unit: 'binary' })),
    );
    fc.assert(
      fc.property(environments, (environment) => {
        readTelemetry(environment);
        telemetrySecrets(environment);
      }),
    );
  });
});

describe('headers', () => {
  it('are read back from their percent encoding', () => {
    const names = fc.stringMatching(/^[a-z][a-z-]{0,9}$/);
    const values = fc.stringMatching(/^[!-~]{0,20}$/);
    fc.assert(
      fc.property(fc.dictionary(names, values, { noNullPrototype: true }), (headers) => {
        const text = Object.entries(headers).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
        expect(parseHeaders(text.join(','))).toEqual(headers);
      }),
    );
  });
});

describe('the secrets among the variables', () => {
  it('are headers of every signal, whole and each, and the credentials of endpoints', () => {
    const secrets = telemetrySecrets({
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20canary-1,x-key=canary-2',
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'k=canary-3',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://user:canary%404@c/v1?key=canary-5',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_SERVICE_NAME: 'plain',
    });
    for (const secret of [
      'authorization=Bearer%20canary-1,x-key=canary-2',
      'Bearer canary-1',
      'canary-1',
      'canary-2',
      'canary-3',
      'canary%404',
      'canary@4',
      'canary-5',
      Buffer.from('user:canary@4').toString('base64'),
    ])
      expect(secrets).toContain(secret);
    expect(secrets.join()).not.toMatch(/plain|json|https/);
    expect(telemetrySecrets({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT })).toEqual([]);
  });
});

describe('the attributes of the resource', () => {
  it('are the pairs that are valid; the service has its own variable', () => {
    const environment = {
      OTEL_RESOURCE_ATTRIBUTES: 'team=infra, note=a%20b%3Dc ,bad,=x,service.name=one',
      OTEL_SERVICE_NAME: 'two',
    };
    expect(resourceAttributes(environment)).toEqual({ team: 'infra', note: 'a b=c', 'service.name': 'two' });
    expect(resourceAttributes({})).toEqual({});
  });
});
