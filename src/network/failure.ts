import type { HttpProxy } from './proxy.ts';

/** A connection that could not be made: the message says why and what to do, as a part of a sentence. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
}

/** A connection to the proxy itself that could not be made. */
export class ProxyConnectError extends Error {
  override readonly name = 'ProxyConnectError';
}

/** What a failed connection was for. */
export interface Attempt {
  /** Of the service. */
  readonly url: URL;
  readonly proxy?: HttpProxy;
}

/** What went wrong, in words and with the setting that mends it; errors of another kind than connecting stay as they are. */
export function explained(error: Error, attempt: Attempt): Error {
  const { url, proxy } = attempt;
  const toProxy = proxy !== undefined && (error instanceof ProxyConnectError || url.protocol === 'http:');
  const cause = error instanceof ProxyConnectError && error.cause instanceof Error ? error.cause : error;
  const words =
    (toProxy || proxy === undefined || cause.name !== 'HeadersTimeoutError'
      ? undefined
      : `the proxy ${proxy.address} gave no answer in time; check that it runs and that ${proxy.variable} names an HTTP proxy`) ??
    (proxy === undefined ? undefined : refusedByProxy(cause, proxy, url)) ??
    certificateFault(
      cause,
      toProxy ? `the proxy ${proxy.address}` : url.host,
      toProxy ? proxy.variable : 'service_url',
    ) ??
    (toProxy && isUnreached(cause)
      ? `the proxy ${proxy.address} can't be reached (${reasonOf(cause)}); check that it runs and that ${proxy.variable} names it`
      : undefined);
  return words === undefined ? cause : new ConnectError(words, { cause: error });
}

/** The proxy's own answer to the request for a connection, as undici words it. */
function refusedByProxy(
  { message, ...rest }: Error & { code?: unknown },
  proxy: HttpProxy,
  url: URL,
): string | undefined {
  const { address, variable } = proxy;
  const status =
    /^Proxy response \((\d+)\)/.exec(message)?.[1] ?? /^Proxy Authentication .*\((\d+)\)/.exec(message)?.[1];
  if (status === undefined) {
    return rest.code === 'UND_ERR_PRX_CONN'
      ? `the proxy ${address} broke the connection to ${url.host} off; check that ${variable} names an HTTP proxy`
      : undefined;
  }
  const exempt = `or add ${url.hostname} to NO_PROXY if this machine reaches it directly`;
  switch (status) {
    case '401': // tinyproxy's answer to a wrong password
    case '407':
      return proxy.authorization === undefined
        ? `the proxy ${address} wants a user and a password (HTTP ${status}); put them into ${variable}, as in http://USER:PASSWORD@HOST:PORT`
        : `the proxy ${address} refuses the user and password in ${variable} (HTTP ${status}); correct them, their special characters written as %XX`;
    case '403':
      return `the proxy ${address} forbids connections to ${url.host} (HTTP 403); have it allow them, ${exempt}`;
    default:
      return `the proxy ${address} could not connect to ${url.host} (HTTP ${status}); see its log, ${exempt}`;
  }
}

const UNKNOWN_ISSUER: ReadonlySet<unknown> = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_UNTRUSTED',
]);

/** True when a certificate was refused that another set of trusted ones may let pass. */
export function isUntrusted({ code }: Error & { code?: unknown }): boolean {
  return UNKNOWN_ISSUER.has(code) || code === 'DEPTH_ZERO_SELF_SIGNED_CERT' || code === 'CERT_HAS_EXPIRED';
}

/** What is wrong with the certificate of `peer`, which the setting `named` leads to; undefined when it isn't that. */
function certificateFault(error: Error & { code?: unknown }, peer: string, named: string): string | undefined {
  const { code } = error;
  if (UNKNOWN_ISSUER.has(code)) {
    return `the certificate of ${peer} comes from an authority that isn't trusted here (${String(code)}); set ca_certificate to the authority's certificate`;
  }
  switch (code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return `the certificate of ${peer} is signed by itself (${code}); set ca_certificate to that certificate`;
    case 'CERT_HAS_EXPIRED':
      return `the certificate of ${peer} has expired (${code}); have it renewed, or check this machine's clock`;
    case 'CERT_NOT_YET_VALID':
      return `the certificate of ${peer} isn't valid yet (${code}); check this machine's clock`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `the certificate of ${peer} is for another name (${namesIn(error)}); correct ${named}, or the certificate`;
    case 'UND_ERR_PRX_TLS':
      return error.cause instanceof Error ? certificateFault(error.cause, peer, named) : undefined;
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return `${peer} doesn't speak TLS (${String(code)}); check scheme and port in ${named}`;
    default:
      return undefined;
  }
}

/** The names that the certificate is for, as it gives them, cut. */
function namesIn(error: Error & { cert?: unknown }): string {
  const { cert } = error;
  const names = typeof cert === 'object' && cert !== null && 'subjectaltname' in cert ? cert.subjectaltname : undefined;
  return typeof names === 'string' ? names.slice(0, 200) : 'it names none';
}

const UNREACHED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
]);

function isUnreached(error: Error & { code?: unknown }): boolean {
  return UNREACHED.has(error.code) || error instanceof ProxyConnectError;
}

function reasonOf(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map((each) => reasonOf(each as Error)).join('; ');
  return error.message === '' ? error.name : error.message;
}
