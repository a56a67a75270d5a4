import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { ProxyConnectError } from './failure.ts';
import type { HttpProxy } from './proxy.ts';

/** What of undici's options for connecting is set here. */
export interface TlsOptions {
  /** Milliseconds. */
  readonly timeout: number;
  /** HTTP/1.1 alone: one call, one connection, as a deadline or an abort cuts it. */
  readonly allowH2: false;
  readonly secureContext?: SecureContext;
}

/**
 * Connections through an HTTP proxy: by CONNECT to https, by asking it for the whole address to http. A failure to reach the
 * proxy itself, when a CONNECT was to be sent, is a ProxyConnectError.
 */
export function tunnel(proxy: HttpProxy, tls: TlsOptions): Dispatcher {
  return new ProxyAgent({
    uri: proxy.address,
    ...(proxy.authorization === undefined ? {} : { token: proxy.authorization }),
    connectTimeout: tls.timeout,
    allowH2: tls.allowH2,
    proxyTls: tls,
    requestTls: tls,
    clientFactory: (origin) => toProxy(origin, tls),
  });
}

/** The connections that CONNECTs are sent over. */
function toProxy(origin: URL, tls: TlsOptions): Dispatcher {
  const connect = buildConnector(tls);
  return new Pool(origin, {
    // Nothing else ends the wait for a CONNECT's answer, which holds up every call: undici's own limit is 5 minutes.
    headersTimeout: tls.timeout,
    connect: (options, callback) =>
      // TLS names no address as the server's name; Node.js warns, and goes by the host instead.
      connect(isIP(options.hostname) === 0 ? options : { ...options, servername: '' }, (...[error, socket]) => {
        if (error === null) callback(null, socket);
        else callback(new ProxyConnectError(error.message, { cause: error }), null);
      }),
  });
}
