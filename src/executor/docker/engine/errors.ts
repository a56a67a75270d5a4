import { DeadlineError } from '../../../base/deadline.ts';
import { fieldsOf } from '../../../base/json.ts';
import { messageOf } from '../../../base/outcome.ts';
import { ExecutorUnavailableError } from '../../executor.ts';
import { oneLine } from '../../foreign-text.ts';
import type { Endpoint } from './endpoint.ts';

/** The engine answered with an error. The message is the engine's own, on one line. */
export class EngineRefusedError extends Error {
  override readonly name = 'EngineRefusedError';
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** True if the engine answered with one of `statuses`. */
export function refusedWith(error: unknown, ...statuses: number[]): error is EngineRefusedError {
  return error instanceof EngineRefusedError && statuses.includes(error.status);
}

/** The message of an unknown error, on one line. */
export function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(textOf).join('; ');
  return oneLine(messageOf(error));
}

/**
 * Turns an error of docker-modem into EngineRefusedError if the engine answered,
 * ExecutorUnavailableError if it didn't. Anything else stays as it is.
 */
export function translate(error: unknown, endpoint: Endpoint): unknown {
  if (!(error instanceof Error) || error instanceof EngineRefusedError) return error;

  if ('statusCode' in error && typeof error.statusCode === 'number') {
    const body: unknown = 'json' in error ? error.json : undefined;
    // A streaming call's error has no body, only docker-modem's "(HTTP code 500) server error - "
    // before the engine's words.
    const text = oneLine(messageIn(body) ?? error.message.replace(/^\(HTTP code \d+\) .*? - /, ''));
    return new EngineRefusedError(error.statusCode, text || `HTTP ${error.statusCode}`, { cause: error });
  }

  if (error instanceof DeadlineError) {
    const advice = 'Check that the engine is healthy (`docker info` answers).';
    return unavailable(endpoint, error.message, advice, { error, mayBeStarting: true });
  }

  const code = codeOf(error);
  if (code === undefined) return error;

  const diagnosis = diagnose(code, endpoint, textOf(error));
  return diagnosis === undefined
    ? error
    : unavailable(endpoint, ...diagnosis, { error, mayBeStarting: STARTING.test(code) });
}

/**
 * Codes for an engine that isn't there yet: no socket, a port that nothing listens on, a service
 * without an address, a proxy or a socket unit that accepts for it and closes.
 */
const STARTING = /^(ENOENT|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ECONNRESET|EPIPE)$/;

/** The error for an engine that can't be reached or refuses us. */
export function unavailable(
  endpoint: Endpoint,
  cause: string,
  advice: string,
  { error, mayBeStarting }: { readonly error?: unknown; readonly mayBeStarting?: boolean | undefined } = {},
): ExecutorUnavailableError {
  // Users expect DOCKER_HOST; a context is easily overlooked.
  const by = endpoint.origin === undefined ? '' : ` (from ${endpoint.origin})`;
  const message = `Failed to reach the Docker engine for this runner at ${endpoint.name}${by}: ${cause}. ${advice}`;
  return new ExecutorUnavailableError(message, { code: 'PRA-DOCKER-01', cause: error, mayBeStarting });
}

/** The code of the error for a connection that could not be taken over. */
export const NOT_UPGRADED = 'PRA-DOCKER-08';

/** The error for a connection over which nothing can be sent to a job. */
export function notUpgraded(endpoint: Endpoint, cause?: unknown): ExecutorUnavailableError {
  const message = `Failed to take over a connection to the Docker engine at ${endpoint.name}: a proxy before the engine drops the header Upgrade, without which nothing can be sent to a job. Let the proxy pass connections through unread (in HAProxy: mode tcp), or set DOCKER_HOST to the engine itself.`;
  return new ExecutorUnavailableError(message, { code: NOT_UPGRADED, cause, mayPass: false });
}

/** The `message` of an error body, or the body itself if it is text (a proxy's page). */
function messageIn(body: unknown): string | undefined {
  if (Buffer.isBuffer(body)) return body.toString() || undefined;
  if (typeof body === 'string') return body || undefined;
  const { message } = fieldsOf(body);
  return typeof message === 'string' ? message : undefined;
}

function codeOf(error: Error): string | undefined {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0]);
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Explains a code of Node or OpenSSL (`ERR_SSL_` and the alert's name, or X509_V_ERR_… without that
 * prefix).
 */
function diagnose(
  code: string,
  endpoint: Endpoint,
  text: string,
): readonly [cause: string, advice: string] | undefined {
  const { host = '', origin = 'DOCKER_HOST', tls } = endpoint;
  const start = 'Start Docker here, or set DOCKER_HOST to the engine that should run the jobs.';
  const folder = origin.startsWith('the ') ? origin : 'DOCKER_CERT_PATH';
  if (/^(ENOENT|ENOTDIR)$/.test(code)) return ['the socket does not exist', start];

  if (/^(EACCES|EPERM)$/.test(code)) {
    const group =
      "Add the user that runs this agent to the group that owns the socket (usually `docker`), then restart the runner's service or session.";
    return ["this user can't use the socket", group];
  }

  if (code === 'ECONNREFUSED') return ['nothing accepts connections there', start];
  if (/^(ENOTFOUND|EAI_AGAIN)$/.test(code))
    return [`the host name ${host} has no address`, `Correct ${origin}.`];
  if (/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(code))
    return ['the host does not answer', `Check ${origin} and the network to it.`];
  if (/^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/.test(code))
    return [`the connection was cut (${text})`, 'Check that the engine is healthy, and see its log.'];

  if (code.startsWith('HPE_')) {
    const advice = 'Check DOCKER_HOST, and set DOCKER_TLS_VERIFY=1 if the engine requires TLS.';
    return ['the server at this address does not speak HTTP', advice];
  }

  if (/^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/.test(code)) {
    const advice =
      'Unset DOCKER_TLS_VERIFY and DOCKER_TLS if the engine does not use TLS, and check the port.';
    return [`the server at this address does not speak TLS (${text})`, advice];
  }

  if (/ALERT/.test(code)) {
    const cause =
      tls?.cert === undefined
        ? 'it requires a client certificate, and there is none'
        : 'it refuses the client certificate';

    return [
      `${cause} (${text})`,
      `Put a cert.pem signed by the engine's authority, and its key.pem, into ${folder}.`,
    ];
  }

  if (!/CERT|SIGNED|SIGNATURE|UNABLE_TO|UNTRUSTED|TLS|SSL/.test(code)) return undefined;

  const advice = `Check the address, both clocks, and that ca.pem in ${folder} belongs to the engine's authority.`;
  return [`the TLS handshake failed (${text})`, advice];
}
