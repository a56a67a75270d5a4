import { Agent, type ClientRequestArgs, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContext } from 'node:tls';
import { ConnectError, proxyFault, refusedTunnel } from './failure.ts';
import type { HttpProxy } from './proxy.ts';

export interface TunnelAgentOptions {
  readonly proxy: HttpProxy;
  /** Where its connections lead to; https has TLS within the tunnel, as each request's own options say. */
  readonly service: URL;
  /** Milliseconds until the proxy must have connected. */
  readonly timeoutMs: number;
  /** Whom to trust as the proxy, where that speaks TLS. */
  readonly trust?: SecureContext;
}

/**
 * An agent of Node's own, for libraries that take one, which makes its connections through a proxy by CONNECT (RFC 9110, 9.3.6)
 * and keeps them. A request fails with ConnectError where the proxy is to blame. The caller destroys it.
 */
export function tunnelAgent(options: TunnelAgentOptions): Agent {
  const isSecured = options.service.protocol === 'https:';
  const agent = isSecured ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const secure = agent.createConnection.bind(agent);
  const connect = async (place: ClientRequestArgs) => {
    const socket = await tunnel(options);
    if (!isSecured) return socket;
    try {
      return secure(Object.assign({}, place, { socket }));
    } catch (error) {
      socket.destroy();
      throw error;
    }
  };
  agent.createConnection = (place, callback) => {
    // Node passes one that takes an error alone, which its types don't tell.
    const done = callback as ((error: unknown, stream?: Duplex | null) => void) | undefined;
    connect(place).then((stream) => done?.(null, stream), done);
    return undefined;
  };
  return agent;
}

/** A stream to the service through the proxy. Throws ConnectError. */
function tunnel({ proxy, service, timeoutMs, trust }: TunnelAgentOptions): Promise<Duplex> {
  const at = new URL(proxy.address);
  const host = at.hostname.replace(/^\[|\]$/g, '');
  const target = `${service.hostname}:${service.port || (service.protocol === 'https:' ? 443 : 80)}`;
  const headers = {
    host: target,
    connection: 'keep-alive',
    ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }),
  };
  const place = { method: 'CONNECT', host, port: at.port, path: target, headers, agent: false } as const;
  return new Promise((resolve, reject) => {
    const call =
      at.protocol === 'https:'
        ? // Node would take the service's name for the proxy's; TLS names no address.
          tlsRequest({
            ...place,
            servername: isIP(host) === 0 ? host : '',
            ...(trust && { secureContext: trust }),
          })
        : request(place);
    const timer = setTimeout(() => call.destroy(notInTime(timeoutMs)), timeoutMs);
    call.once('connect', ({ statusCode = 0 }, socket: Duplex, head: Buffer) => {
      clearTimeout(timer);
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.on('error', () => undefined).destroy();
      reject(new ConnectError(refusedTunnel(String(statusCode), proxy, service)));
    });
    call.once('error', (error) => {
      clearTimeout(timer);
      reject(
        new ConnectError(proxyFault(error, proxy) ?? `the proxy ${proxy.address} can't be used (${error.message})`, {
          cause: error,
        }),
      );
    });
    call.end();
  });
}

function notInTime(ms: number): Error {
  return Object.assign(new Error(`no answer within ${ms / 1000} s`), { code: 'ETIMEDOUT' });
}
