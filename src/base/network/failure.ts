import { reasonOf } from '../outcome.ts';
import type { HttpProxy } from './proxy.ts';

/** A connection could not be made. The message says why and what to do, as part of a sentence. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  /** 03: the proxy is at fault; 04: the service's certificate. */
  readonly code: 'PRA-NET-03' | 'PRA-NET-04';

  constructor(code: ConnectError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The error for a failed connection to the proxy itself; names the setting to correct. */
export function proxyFailure(
  error: Error & { code?: unknown },
  { address, variable }: HttpProxy,
): ConnectError {
  const broken = error.code === 'ECONNRESET' || error.code === 'EPIPE' || error.code === 'UND_ERR_SOCKET';
  const words =
    certificateFault(error, `the proxy ${address}`, variable) ??
    (broken
      ? `the proxy ${address} closed the connection (${reasonOf(error)}); check that ${variable} names an HTTP proxy`
      : `the proxy ${address} can't be reached (${reasonOf(error)}); check that it runs and that ${variable} names it`);
  return new ConnectError('PRA-NET-03', words, { cause: error });
}

/** The error for a proxy that refused to connect to `url` with this HTTP status. */
export function proxyRefusal(status: number, proxy: HttpProxy, url: URL): ConnectError {
  const { address, authorization, variable, isFixed = false } = proxy;
  const instead = isFixed ? `remove ${variable}` : `add ${url.hostname} to NO_PROXY`;
  const exempt = `or ${instead} if this machine reaches it directly`;

  const words = () => {
    // 401 is tinyproxy's answer to a wrong password.
    if ((status === 401 || status === 407) && authorization === undefined)
      return `requires a user and a password (HTTP ${status}); set them in ${variable}, as in http://USER:PASSWORD@HOST:PORT`;
    if (status === 401 || status === 407)
      return `refuses the user and password in ${variable} (HTTP ${status}); correct them, with special characters written as %XX`;
    if (status === 403) return `forbids connections to ${url.host} (HTTP 403); have it allow them, ${exempt}`;
    return `could not connect to ${url.host} (HTTP ${status}); see its log, ${exempt}`;
  };

  return new ConnectError('PRA-NET-03', `the proxy ${address} ${words()}`);
}

/**
 * The error for a failed connection to the service that `setting` names; returns all but TLS faults
 * as they are.
 */
export function serviceFailure(error: Error, url: URL, setting: string): Error {
  const words = certificateFault(error, url.host, setting);
  return words === undefined ? error : new ConnectError('PRA-NET-04', words, { cause: error });
}

/** The TLS problem at `peer`, which `setting` specifies; undefined for other errors. */
function certificateFault(error: object, peer: string, setting: string): string | undefined {
  const code = 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'CERT_UNTRUSTED':
      return `the certificate of ${peer} comes from an authority that isn't trusted here (${code}); set ca_certificate to the authority's certificate`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return `the certificate of ${peer} is self-signed (${code}); set ca_certificate to that certificate`;
    case 'CERT_HAS_EXPIRED':
      return `the certificate of ${peer} has expired (${code}); have it renewed, or check this machine's clock`;
    case 'CERT_NOT_YET_VALID':
      return `the certificate of ${peer} isn't valid yet (${code}); check this machine's clock`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `the certificate of ${peer} is for another name (${namesIn(error)}); correct ${setting}, or the certificate`;
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return `${peer} doesn't speak TLS (${code}); check scheme and port in ${setting}`;
    default:
      return undefined;
  }
}

/** The certificate's names, truncated. */
function namesIn(error: { cert?: unknown }): string {
  const { cert } = error;
  const names =
    typeof cert === 'object' && cert !== null && 'subjectaltname' in cert ? cert.subjectaltname : undefined;
  return typeof names === 'string' ? names.slice(0, 200) : 'it names none';
}
