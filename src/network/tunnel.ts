import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { ProxyConnectError } from './failure.ts';
import type { HttpProxy } from './proxy.ts';
import type { TlsOptions } from './way.ts';

/**
 * Connections through an HTTP proxy: by CONNECT to https, by asking it for the whole address to http. A failure to reach the
 * proxy itself, when a CONNECT was to be sent, is a ProxyConnectError.
 */
export function tunnel(proxy: HttpProxy, tls: TlsOptions): Dispatcher {
  const connect = buildConnector(tls);
  return new ProxyAgent({
    uri: proxy.address,
    ...(proxy.authorization === undefined ? {} : { token: proxy.authorization }),
    connectTimeout: tls.timeout,
    proxyTls: tls,
    requestTls: tls,
    clientFactory: (origin) =>
      new Pool(origin, {
        connect: (options, callback) =>
          connect(options, (...[error, socket]) => {
            if (error === null) callback(null, socket);
            else callback(new ProxyConnectError(error.message, { cause: error }), null);
          }),
      }),
  });
}
