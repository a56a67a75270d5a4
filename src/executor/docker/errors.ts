import { messageOf } from '../../outcome.ts';
import { DeadlineError } from '../deadline.ts';
import { ExecutorUnavailableError } from '../executor.ts';
import { oneLine } from '../one-line.ts';
import type { Endpoint } from './endpoint.ts';

/** The engine's answer was an error. The message is the engine's own, on one line. */
export class EngineRefusedError extends Error {
  override readonly name = 'EngineRefusedError';
  readonly status: number;
  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** True when the engine answered with one of `statuses`. */
export function refusedWith(error: unknown, ...statuses: number[]): error is EngineRefusedError {
  return error instanceof EngineRefusedError && statuses.includes(error.status);
}

/** What an unknown error says of itself. */
export function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(textOf).join('; ');
  return oneLine(messageOf(error));
}

/**
 * Turns what docker-modem or node:http threw into one of ours: EngineRefusedError for an answer, ExecutorUnavailableError for a
 * connection that failed or an answer that never came. Anything else stays as it is.
 */
export function translate(error: unknown, endpoint: Endpoint): unknown {
  if (!(error instanceof Error) || error instanceof EngineRefusedError) return error;
  if ('statusCode' in error && typeof error.statusCode === 'number') {
    const body: unknown = 'json' in error ? error.json : undefined;
    // A streaming call's error has no body, only docker-modem's "(HTTP code 500) server error - " before the engine's words.
    const text = oneLine(messageIn(body) ?? error.message.replace(/^\(HTTP code \d+\) .*? - /, ''));
    return new EngineRefusedError(error.statusCode, text || `HTTP ${error.statusCode}`, { cause: error });
  }
  if (error instanceof DeadlineError) {
    return unavailable(endpoint, error.message, 'Check that the engine is healthy (`docker info` answers).', error);
  }
  const [cause, advice] = diagnose(error, endpoint) ?? [];
  return cause === undefined || advice === undefined ? error : unavailable(endpoint, cause, advice, error);
}

/** The `message` of an error body, or the body itself when it is text (a proxy's page). */
function messageIn(body: unknown): string | undefined {
  if (Buffer.isBuffer(body)) return body.length === 0 ? undefined : body.toString();
  if (typeof body === 'string' && body !== '') return body;
  if (typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string')
    return body.message;
  return undefined;
}

export function unavailable(
  endpoint: Endpoint,
  cause: string,
  advice: string,
  error?: unknown,
): ExecutorUnavailableError {
  // DOCKER_HOST is what people expect, and have before their eyes; a context is not.
  const by = endpoint.origin === undefined ? '' : ` (from ${endpoint.origin})`;
  const message = `Failed to reach the Docker engine for this runner at ${endpoint.name}${by}: ${cause}. ${advice}`;
  return new ExecutorUnavailableError(message, error === undefined ? undefined : { cause: error });
}

function start({ others = [] }: Endpoint): string {
  const found = others.length === 0 ? '' : ` (${others.join(' and ')} ${others.length === 1 ? 'is' : 'are'} there)`;
  return `Start Docker here, or set DOCKER_HOST to the engine that should run the jobs${found}.`;
}

function diagnose(error: Error, endpoint: Endpoint): readonly [cause: string, advice: string] | undefined {
  const code = codeOf(error);
  const correct = `Correct ${endpoint.origin ?? 'DOCKER_HOST'}.`;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return ['the socket does not exist', start(endpoint)];
    case 'EACCES':
    case 'EPERM':
      return [
        'this user may not use the socket',
        "Add the user that runs this agent to the group that owns the socket (usually `docker`), then start the runner's service or session anew.",
      ];
    case 'ECONNREFUSED':
      return ['nothing accepts connections there', start(endpoint)];
    case 'ENOTSOCK':
    case 'EPROTOTYPE':
      return ['it is not a socket that accepts connections', start(endpoint)];
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return [`the host name ${endpoint.host ?? ''} has no address`, correct];
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return [
        'the host does not answer',
        `${correct.replace('Correct', 'Check').slice(0, -1)} and the network between here and there.`,
      ];
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return [`the connection was cut (${textOf(error)})`, 'Check that the engine is healthy, and see its log.'];
    default:
  }
  if (code?.startsWith('HPE_')) {
    return [
      'what answers there does not speak HTTP',
      'Check DOCKER_HOST, and set DOCKER_TLS_VERIFY=1 if the engine wants TLS.',
    ];
  }
  return code === undefined ? undefined : diagnoseTls(code, textOf(error), endpoint);
}

/** The codes are OpenSSL's and Node's own: `ERR_SSL_` and the alert's name, X509_V_ERR_… without its beginning. */
function diagnoseTls(
  code: string,
  text: string,
  { tls, origin }: Endpoint,
): readonly [cause: string, advice: string] | undefined {
  const files = origin?.startsWith('the ') ? origin : 'DOCKER_CERT_PATH';
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return [`its certificate is not valid now (${text})`, "Renew the engine's certificate, and check both clocks."];
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return [`its certificate is for another name (${text})`, 'Use the name or address that the certificate has.'];
  if (/SELF_SIGNED|UNABLE_TO|SIGNATURE|UNTRUSTED/.test(code))
    return [
      `its certificate is signed by nobody who is trusted here (${text})`,
      `Put the certificate of the engine's authority into ca.pem of ${files}.`,
    ];
  if (/^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/.test(code))
    return [
      `what answers there does not speak TLS (${text})`,
      'Unset DOCKER_TLS_VERIFY and DOCKER_TLS if the engine wants none, and check the port.',
    ];
  if (/ALERT/.test(code)) {
    const whose =
      tls?.cert === undefined
        ? `it wants a client's certificate, and there is none`
        : `it refuses the client's certificate`;
    return [`${whose} (${text})`, `Put cert.pem and key.pem that the engine's authority has signed into ${files}.`];
  }
  if (!/CERT|TLS|SSL/.test(code)) return undefined;
  return [`the TLS handshake failed (${text})`, `Check the certificates of ${files} and the port.`];
}

function codeOf(error: Error): string | undefined {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0]);
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
