import type { Environment } from '../../base/environment.ts';
import { withEntry } from '../../base/error-codes.ts';
import { parseHeaders } from '../../base/log/telemetry-secrets.ts';
import { basicCredentials, decoded } from '../../base/url-parts.ts';

/** For an export, however long the user allows. */
const EXPORT_MS = 3_000;

export interface TelemetrySettings {
  /** Without credentials. */
  readonly endpoint: string;
  /** The variable that names it. */
  readonly variable: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly timeoutMs: number;
}

/** Settings if tracing is on; a warning if it should be and can't. */
export interface ReadTelemetry {
  readonly settings?: TelemetrySettings | undefined;
  readonly warning?: string | undefined;
}

/** Reads OpenTelemetry's standard variables, of which an endpoint switches tracing on. Never throws. */
export function readTelemetry(environment: Environment): ReadTelemetry {
  const settingOf = (name: string) => environment[name]?.trim() || undefined;
  const nameOf = (name: string) =>
    [`OTEL_EXPORTER_OTLP_TRACES_${name}`].find((each) => settingOf(each)) ?? `OTEL_EXPORTER_OTLP_${name}`;

  const variable = nameOf('ENDPOINT');
  const address = settingOf(variable);
  const isDisabled = settingOf('OTEL_SDK_DISABLED')?.toLowerCase() === 'true';
  const exporters = settingOf('OTEL_TRACES_EXPORTER')?.split(/[\s,]+/) ?? ['otlp'];
  if (address === undefined || isDisabled || !exporters.includes('otlp')) return {};

  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null;
  if (url === null) return unfit(variable, 'it is not an address such as https://collector.example.com:4318');

  const protocol = settingOf(nameOf('PROTOCOL')) ?? 'http/protobuf';
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    return unfit(nameOf('PROTOCOL'), `${protocol.slice(0, 20)} is neither http/protobuf nor http/json`);

  const headers = parseHeaders(settingOf(nameOf('HEADERS')));
  if (headers === undefined) return unfit(nameOf('HEADERS'), 'it is not a list such as key=value,key=value');

  const { username, password } = url;
  if (username !== '' || password !== '')
    headers['authorization'] ??= `Basic ${basicCredentials(username, password)}`;
  [url.username, url.password, url.hash] = ['', '', ''];
  if (!variable.includes('TRACES')) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;

  const timeout = settingOf(nameOf('TIMEOUT')) ?? '';
  const timeoutMs = /^[1-9]\d*$/.test(timeout) ? Math.min(EXPORT_MS, Number(timeout)) : EXPORT_MS;
  return { settings: { endpoint: url.href, variable, headers, protocol, timeoutMs } };
}

function unfit(variable: string, reason: string): ReadTelemetry {
  const sentence = `Failed to read ${variable} for the trace: ${reason}. Until it is corrected, no trace is sent.`;
  return { warning: withEntry(sentence, 'PRA-TRACE-02') };
}

/** The attributes that the user gives every span's resource; pairs that are none are left out. */
export function resourceAttributes(environment: Environment): Record<string, string> {
  const { OTEL_RESOURCE_ATTRIBUTES = '', OTEL_SERVICE_NAME = '' } = environment;
  const pairs = OTEL_RESOURCE_ATTRIBUTES.split(',').flatMap((pair) => {
    const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    return name === '' ? [] : [[name, decoded(value)] as const];
  });

  const service = OTEL_SERVICE_NAME.trim();
  return { ...Object.fromEntries(pairs), ...(service !== '' && { 'service.name': service }) };
}
