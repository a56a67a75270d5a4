import type { ErrorCode } from '../../base/error-codes.ts';
import { ConnectError } from '../../base/network/failure.ts';
import { findRoute, openRoute, type Route } from '../../base/network/route.ts';
import { clause, OutcomeError, reasonOf } from '../../base/outcome.ts';
import { span } from '../../base/quantity.ts';
import type { Checked, Examination, Finding } from './examination.ts';
import type { CheckSources } from './local-checks.ts';

/**
 * Shorter than the check's deadline, so that the message names what didn't answer.
 */
const CONNECT_MS = 8_000;

/** The clock skew that deserves a warning: ID tokens live for 5 minutes. */
const SKEW_MS = 60_000;

/**
 * Tries the agent's route to Pulumi Cloud with one request without a token, and checks the clock
 * against its answer.
 */
export async function networkChecks(
  examination: Examination,
  sources: CheckSources,
): Promise<Checked<unknown>> {
  const { settings, environment, redactor } = sources;
  const spec = { outcome: 'cloud-unreachable', deadlineMs: 15_000 } as const;

  const route = await examination.check<Route, [typeof settings]>(
    { ...spec, id: 'proxy', title: 'Proxy' },
    [settings],
    (_, { serviceUrl, caCertificate, requestTimeoutMs }) => {
      const connectTimeoutMs = Math.min(CONNECT_MS, requestTimeoutMs);
      const found = findRoute({ serviceUrl, connectTimeoutMs, caCertificate, environment });
      redactor.add(found.secrets);
      return proxyOf(found);
    },
  );

  const reached = await examination.check<number, [typeof route]>(
    { ...spec, id: 'connection', title: 'Connection' },
    [route],
    (signal, value) => connection(value, signal),
  );

  await examination.check({ ...spec, id: 'clock', title: 'Clock' }, [reached], (_, skewMs) => clock(skewMs));

  return reached;
}

function proxyOf(route: Route): Finding<Route> {
  const { proxy, exempted, service } = route;
  if (proxy !== undefined)
    return { status: 'passed', detail: `${proxy.address} (${proxy.variable})`, value: route };
  const detail =
    exempted === undefined ? 'none is set for this service' : `none: ${exempted} lists ${service.hostname}`;
  return { status: 'skipped', detail, value: route };
}

/**
 * Passes on how far the service's clock is ahead, in milliseconds to about a second; NaN if the
 * answer has no date.
 */
async function connection(route: Route, signal: AbortSignal): Promise<Finding<number>> {
  const { service, proxy } = route;
  const dispatcher = openRoute(route);
  const began = performance.now();

  try {
    const { origin, pathname: path } = service;
    const { headers, body } = await dispatcher.request({ origin, path, method: 'HEAD', signal });
    await body.dump();
    const ms = Math.round(performance.now() - began);
    const detail = `${service.host} answers in ${ms} ms${proxy === undefined ? '' : ` through ${proxy.address}`}`;
    return { status: 'passed', detail, value: Date.parse(String(headers['date'])) - Date.now() };
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(error, service);
  } finally {
    await dispatcher.destroy();
  }
}

function unreachable(cause: unknown, { host, hostname }: URL): OutcomeError {
  const failed = (code: ErrorCode, sentence: string) =>
    new OutcomeError('cloud-unreachable', sentence, { code, cause });
  if (cause instanceof ConnectError) {
    const what = cause.code === 'PRA-NET-03' ? 'get through the proxy' : `trust ${hostname}`;
    return failed(cause.code, `Failed to ${what} for Pulumi Cloud: ${cause.message}.`);
  }

  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const reason = code === 'ENOTFOUND' ? 'there is no such name' : 'the name server gave no answer';
    const advice = "Correct service_url, or this machine's DNS (/etc/resolv.conf).";
    return failed(
      'PRA-NET-01',
      `Failed to look up ${hostname} for Pulumi Cloud: ${reason} (${code}). ${advice}`,
    );
  }

  const advice =
    'Check service_url, and that the firewall allows the connection; if the network requires a proxy, set HTTPS_PROXY.';
  return failed(
    'PRA-NET-02',
    `Failed to connect to ${host} for Pulumi Cloud: ${clause(reasonOf(cause))}. ${advice}`,
  );
}

function clock(skewMs: number): Finding {
  if (Number.isNaN(skewMs)) return { status: 'unknown', detail: 'the answer had no time' };
  if (Math.abs(skewMs) < SKEW_MS)
    return { status: 'passed', detail: `within ${span(SKEW_MS)} of Pulumi Cloud's` };
  const direction = skewMs > 0 ? 'behind' : 'ahead of';
  const detail = `this machine's is ${span(skewMs)} ${direction} Pulumi Cloud's, and ID tokens live for 5 minutes. Set it (chrony, systemd-timesyncd).`;
  return { status: 'warning', detail };
}
