import { Agent, type ClientRequestArgs, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { type ConnectError, proxyFailure, proxyRefusal } from './failure.ts';
import type { HttpProxy } from './proxy.ts';

/**
 * A connection to the service through the proxy, by CONNECT (RFC 9110, 9.3.6), within `timeoutMs`. `trust` has the authorities of an https proxy. Throws ConnectError.
 */
export function tunnel(
  proxy: HttpProxy,
  service: URL,
  timeoutMs: number,
  trust?: SecureContext,
): Promise<Socket> {
  const url = new URL(proxy.address);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const target = `${service.hostname}:${service.port || (service.protocol === 'https:' ? 443 : 80)}`;
  const { authorization } = proxy;

  const headers = {
    host: target,
    connection: 'keep-alive',
    ...(authorization && { 'proxy-authorization': authorization }),
  };

  const place = { method: 'CONNECT', host, port: url.port, path: target, headers, agent: false } as const;

  // By default Node would verify the proxy under the service's name. TLS server names can't be
  // addresses.
  const secured = { servername: isIP(host) === 0 ? host : '', ...(trust && { secureContext: trust }) };

  return new Promise((resolve, reject: (error: ConnectError) => void) => {
    const call = url.protocol === 'https:' ? tlsRequest({ ...place, ...secured }) : request(place);
    const timer = setTimeout(
      () => call.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );

    call.once('close', () => clearTimeout(timer));
    call.once('error', (error) => reject(proxyFailure(error, proxy)));

    call.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      } else {
        socket.on('error', () => undefined).destroy();
        reject(proxyRefusal(statusCode, proxy, service));
      }
    });

    call.end();
  });
}

/** A Node agent for such a tunnel, with TLS inside for an https service. The caller destroys it. */
export function tunnelAgent(proxy: HttpProxy, service: URL, timeoutMs: number, trust?: SecureContext): Agent {
  const isSecured = service.protocol === 'https:';
  const agent = isSecured ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const secure = agent.createConnection.bind(agent);

  const connect = async (place: ClientRequestArgs) => {
    const socket = await tunnel(proxy, service, timeoutMs, trust);
    if (!isSecured) return socket;

    try {
      return secure(Object.assign({}, place, { socket }));
    } catch (error) {
      socket.destroy();
      throw error;
    }
  };

  agent.createConnection = (place, callback) => {
    // Unlike its type says, Node's callback accepts an error alone.
    const onSocket = callback as ((error: unknown, stream?: unknown) => void) | undefined;
    connect(place).then((stream) => onSocket?.(null, stream), onSocket);
    return undefined;
  };

  return agent;
}
