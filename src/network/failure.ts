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
export function explained(error: Error, { url, proxy }: Attempt): Error {
  const cause = error instanceof ProxyConnectError && error.cause instanceof Error ? error.cause : error;
  let words: string | undefined;
  if (proxy === undefined) words = certificateFault(cause, url.host, 'service_url');
  // To an http service the proxy is all that there is a connection to.
  else if (error instanceof ProxyConnectError || url.protocol === 'http:') words = proxyFault(cause, proxy);
  else words = tunnelFault(cause, proxy, url) ?? certificateFault(cause, url.host, 'service_url');
  return words === undefined ? cause : new ConnectError(words, { cause: error });
}

/** What is wrong with the connection to the proxy itself; undefined when it isn't known. */
export function proxyFault(error: Error & { code?: unknown }, proxy: HttpProxy): string | undefined {
  const { address, variable } = proxy;
  if (/^Proxy Authentication Required/.test(error.message)) return wantsPassword(proxy, '407');
  const certificate = certificateFault(error, `the proxy ${address}`, variable);
  if (certificate !== undefined) return certificate;
  if (BROKEN.has(error.code))
    return `the proxy ${address} broke the connection off (${reasonOf(error)}); check that ${variable} names an HTTP proxy`;
  return UNREACHED.has(error.code)
    ? `the proxy ${address} can't be reached (${reasonOf(error)}); check that it runs and that ${variable} names it`
    : undefined;
}

/** What the proxy made of the request for a connection to `url`, as undici words it. */
function tunnelFault(error: Error & { code?: unknown }, proxy: HttpProxy, url: URL): string | undefined {
  const { address, variable } = proxy;
  if (error.code === 'UND_ERR_PRX_CONN')
    return `the proxy ${address} broke the connection to ${url.host} off; check that ${variable} names an HTTP proxy`;
  if (error.code === 'UND_ERR_HEADERS_TIMEOUT')
    return `the proxy ${address} gave no answer in time; check that it runs and that ${variable} names an HTTP proxy`;
  const status = /^Proxy response \((\d+)\)/.exec(error.message)?.[1];
  return status === undefined ? undefined : refusedTunnel(status, proxy, url);
}

/** What a proxy means that answers a request for a connection to `url` with the HTTP status. */
export function refusedTunnel(status: string, proxy: HttpProxy, url: URL): string {
  const { address, variable, isFixed = false } = proxy;
  const instead = isFixed ? `take ${variable} away` : `add ${url.hostname} to NO_PROXY`;
  const exempt = `or ${instead} if this machine reaches it directly`;
  switch (status) {
    case '401': // tinyproxy's answer to a wrong password
    case '407':
      return wantsPassword(proxy, status);
    case '403':
      return `the proxy ${address} forbids connections to ${url.host} (HTTP 403); have it allow them, ${exempt}`;
    default:
      return `the proxy ${address} could not connect to ${url.host} (HTTP ${status}); see its log, ${exempt}`;
  }
}

function wantsPassword({ address, authorization, variable }: HttpProxy, status: string): string {
  return authorization === undefined
    ? `the proxy ${address} wants a user and a password (HTTP ${status}); put them into ${variable}, as in http://USER:PASSWORD@HOST:PORT`
    : `the proxy ${address} refuses the user and password in ${variable} (HTTP ${status}); correct them, their special characters written as %XX`;
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
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const BROKEN: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

function reasonOf(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map((each) => reasonOf(each as Error)).join('; ');
  return error.message === '' ? error.name : error.message;
}
