import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { DeadlineError, within } from '../../base/deadline.ts';
import type { Environment } from '../../base/environment.ts';
import { withEntry } from '../../base/error-codes.ts';
import { readAtMost } from '../../base/http-body.ts';
import { plainText } from '../../base/log/plain-text.ts';
import { Redactor } from '../../base/log/redactor.ts';
import { telemetrySecrets } from '../../base/log/telemetry-secrets.ts';
import { findRoute, openRoute, type Route } from '../../base/network/route.ts';
import { clause, reasonOf } from '../../base/outcome.ts';
import { VERSION } from '../../base/version.ts';
import { SCHEMA_URL } from './conventions.ts';
import { isSampled } from './ids.ts';
import { type RunTrace, readTrace } from './run-trace.ts';
import { readTelemetry, resourceAttributes, type TelemetrySettings } from './settings.ts';
import type { Span } from './spans.ts';

/** Bytes of an answer that are read. */
const ANSWER_BYTES = 64 * 1024;

type ReadableSpan = Parameters<typeof JsonTraceSerializer.serializeRequest>[0][number];

export interface ExportResult {
  /** `off`: nothing asks for a trace, or nothing valid; `unrecorded`: by its own flag. */
  readonly outcome: 'sent' | 'failed' | 'unrecorded' | 'off';
  /** Of the trace that was or should have been sent, if known. */
  readonly traceId?: string | undefined;
  /** One line about the failure; for `failed`, with the command that sends it later. */
  readonly warning?: string | undefined;
}

/** A run's trace as OTLP JSON. Throws as `readTrace` does. */
export async function traceJson(directory: string, environment: Environment): Promise<string> {
  const trace = await readTrace(directory, resourceAttributes(environment));
  return Buffer.from(JsonTraceSerializer.serializeRequest(readable(trace)) ?? []).toString('utf8');
}

/**
 * Sends a run's trace, if tracing is on; `caCertificate` is the agent's setting. Takes 3 s at most.
 * Never throws.
 */
export async function exportTrace(
  directory: string,
  environment: Environment,
  signal: AbortSignal,
  caCertificate?: string,
): Promise<ExportResult> {
  const { settings, warning } = readTelemetry(environment);
  if (settings === undefined) return { outcome: 'off', warning };

  let traceId: string | undefined;

  try {
    const trace = await readTrace(directory, resourceAttributes(environment));
    if (!isSampled(trace)) return { outcome: 'unrecorded' };
    traceId = trace.traceId;

    const route = routeTo(settings, environment, caCertificate);
    await within(settings.timeoutMs, signal, (inner) => post(trace, settings, route, inner));
    return { outcome: 'sent', traceId };
  } catch (error) {
    const redactor = new Redactor();
    redactor.add(telemetrySecrets(environment));
    const late = error instanceof DeadlineError || (error instanceof Error && error.name === 'TimeoutError');
    const reason = late ? `no answer within ${settings.timeoutMs / 1000} s` : reasonOf(error);
    const cause = clause(redactor.text(plainText(reason, 500)));
    const { host } = new URL(settings.endpoint);
    const again = `Send it later: pulumi-runner-agent trace ${directory} --send`;
    return {
      outcome: 'failed',
      traceId,
      warning: withEntry(
        `Failed to send the trace for the run to ${host}: ${cause}. ${again}.`,
        'PRA-TRACE-01',
      ),
    };
  }
}

function routeTo(
  { endpoint, variable: setting, timeoutMs: connectTimeoutMs }: TelemetrySettings,
  environment: Environment,
  caCertificate: string | undefined,
): Route {
  const serviceUrl = new URL(endpoint).origin;
  return findRoute({ serviceUrl, setting, connectTimeoutMs, caCertificate, environment });
}

/** Throws if the collector does not accept all of it, and what undici throws. */
async function post(
  trace: RunTrace,
  { endpoint, protocol, headers: credentials }: TelemetrySettings,
  route: Route,
  signal: AbortSignal,
): Promise<void> {
  const url = new URL(endpoint);
  const isJson = protocol === 'http/json';
  const serializer = isJson ? JsonTraceSerializer : ProtobufTraceSerializer;
  const dispatcher = openRoute(route);

  try {
    const answer = await dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: {
        'user-agent': `pulumi-runner-agent/${VERSION}`,
        ...credentials,
        'content-type': isJson ? 'application/json' : 'application/x-protobuf',
      },
      body: Buffer.from(serializer.serializeRequest(readable(trace)) ?? []),
      signal,
    });

    const body = await readAtMost(answer.body, ANSWER_BYTES);
    if (body === undefined) throw new Error(`an answer of over ${ANSWER_BYTES} bytes`);

    const { statusCode: status, headers } = answer;
    const pause = headers['retry-after'];
    if (status < 200 || status > 299)
      throw new Error(`HTTP ${status}${pause ? ` and Retry-After: ${pause}` : ''}`);
    if (/^\s*</.test(body.toString('latin1'))) throw new Error(`a web page came instead of an answer`);

    const { rejectedSpans = 0, errorMessage = '' } =
      serializer.deserializeResponse(body).partialSuccess ?? {};
    if (Number(rejectedSpans) > 0)
      throw new Error(`it rejected ${rejectedSpans} of ${trace.spans.length} spans: ${errorMessage}`);
  } finally {
    void dispatcher.destroy();
  }
}

/** The spans as the serializers read them. */
function readable({ traceId, flags, state, parentId: remote, spans }: RunTrace): ReadableSpan[] {
  const traceFlags = Number.parseInt(flags, 16);
  const traceState = state === undefined ? {} : { traceState: stateOf(state) };
  const instrumentationScope = { name: 'pulumi-runner-agent', version: VERSION, schemaUrl: SCHEMA_URL };
  const resources = new Map<string, ReadableSpan['resource']>();

  const resourceOf = (attributes: Span['resource']) => {
    const key = JSON.stringify(attributes);
    const resource = { attributes, schemaUrl: SCHEMA_URL } as unknown as ReadableSpan['resource'];
    return resources.get(key) ?? resources.set(key, resource).get(key) ?? resource;
  };

  return spans.map((span) => ({
    name: span.name,
    kind: span.isServer ? 1 : 0,
    spanContext: () => ({ traceId, spanId: span.id, traceFlags, ...traceState }),
    ...(span.parentId !== undefined && {
      parentSpanContext: { traceId, spanId: span.parentId, traceFlags, isRemote: span.parentId === remote },
    }),
    startTime: time(span.from),
    endTime: time(span.to),
    duration: time(span.to - span.from),
    ended: true,
    status: span.failure === undefined ? { code: 0 } : { code: 2, message: span.failure },
    attributes: span.attributes,
    links: [],
    events: [],
    resource: resourceOf(span.resource),
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }));
}

function time(ms: number): [seconds: number, nanoseconds: number] {
  return [Math.floor(ms / 1000), (ms % 1000) * 1e6];
}

/** A `tracestate` that is only passed on. */
function stateOf(state: string): NonNullable<ReturnType<ReadableSpan['spanContext']>['traceState']> {
  const same = () => stateOf(state);
  return { set: same, unset: same, get: () => undefined, serialize: () => state };
}
