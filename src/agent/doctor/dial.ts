import { request } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { HttpProxy } from '../../network/proxy.ts';
import { reasonOf } from './examination.ts';
import { unreachable } from './unreachable.ts';
import { placeOf, type Way } from './way.ts';

/**
 * A connection on which the service answers next: through the proxy where there is one (for plain http, up to the proxy).
 * Throws OutcomeError `cloud-unreachable`, and the signal's reason when it aborted. The caller destroys the socket.
 */
export async function dial(way: Way, outer: AbortSignal): Promise<Socket> {
  const { proxy, service, host, port, timeoutMs } = way;
  const signal = AbortSignal.any([outer, AbortSignal.timeout(timeoutMs)]);
  if (proxy === undefined) {
    return opened({ host, port }, signal).catch((cause: unknown) => {
      outer.throwIfAborted();
      const advice =
        "Check service_url, and that this network's firewall lets the agent out; where a proxy leads out, set HTTPS_PROXY.";
      throw unreachable(`connect to ${host} port ${port}`, dialReason(cause), advice, cause);
    });
  }
  const socket = await toProxy(way, proxy, signal);
  return service.protocol === 'https:' ? throughProxy(socket, way, proxy, signal) : socket;
}

async function toProxy({ trust, service }: Way, proxy: HttpProxy, signal: AbortSignal): Promise<Socket> {
  const url = new URL(proxy.address);
  const place = placeOf(url);
  try {
    const socket = await opened(place, signal);
    if (url.protocol !== 'https:') return socket;
    const servername = isIP(place.host) === 0 ? { servername: place.host } : {};
    const tls = connectTls({ socket, host: place.host, ...servername, ...(trust ? { secureContext: trust } : {}) });
    return await settled(tls, 'secureConnect', signal);
  } catch (cause) {
    const advice = `Check that it runs and that ${proxy.variable} names it, or add ${service.hostname} to NO_PROXY if this machine reaches it directly.`;
    throw unreachable(`connect to the proxy ${proxy.address}`, dialReason(cause), advice, cause);
  }
}

/** Asks the proxy at the other end of `socket` to connect us (CONNECT, RFC 9110). */
function throughProxy(socket: Socket, { host, port }: Way, proxy: HttpProxy, signal: AbortSignal): Promise<Socket> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const { address, authorization, variable } = proxy;
  return new Promise((resolve, reject) => {
    const fail = (reason: string, advice: string, cause?: unknown) => {
      socket.destroy();
      reject(unreachable(`get through the proxy ${address}`, reason, advice, cause));
    };
    const call = request({
      method: 'CONNECT',
      path: target,
      createConnection: () => socket,
      signal,
      headers: { host: target, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) },
    });
    call.once('connect', ({ statusCode = 0 }) => {
      if (statusCode >= 200 && statusCode < 300) resolve(socket);
      else fail(`it refuses to connect us to ${target} (HTTP ${statusCode})`, proxyAdvice(statusCode, proxy, host));
    });
    call.once('error', (cause) => {
      const reason = signal.aborted ? 'it gives no answer' : reasonOf(cause);
      fail(reason, `Check that ${variable} names an HTTP proxy.`, cause);
    });
    call.end();
  });
}

function proxyAdvice(status: number, { authorization, variable }: HttpProxy, host: string): string {
  const exempt = `or add ${host} to NO_PROXY if this machine reaches it directly`;
  if (status === 403) return `Have it allow that, ${exempt}.`;
  if (status !== 407) return `See its log, ${exempt}.`;
  return authorization === undefined
    ? `Put its user and password into ${variable}, as in http://USER:PASSWORD@HOST:PORT.`
    : `Correct the user and password in ${variable}, their special characters written as %XX.`;
}

function opened(place: { readonly host: string; readonly port: number }, signal: AbortSignal): Promise<Socket> {
  return settled(connect(place), 'connect', signal);
}

/** The socket once it says `event`; destroyed when that fails or `signal` aborts. */
export function settled<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<S> {
  return new Promise((resolve, reject) => {
    const onAbort = () => socket.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }));
    signal.addEventListener('abort', onAbort, { once: true });
    const end = () => signal.removeEventListener('abort', onAbort);
    socket.once('error', (error) => {
      end();
      reject(error);
    });
    socket.once(event, () => {
      end();
      // Whoever reads from it learns of its end there.
      socket.on('error', () => undefined);
      resolve(socket);
    });
    if (signal.aborted) onAbort();
  });
}

function dialReason(error: unknown): string {
  const causes: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  const codes = new Set(causes.map((cause) => (cause instanceof Error && 'code' in cause ? cause.code : undefined)));
  if (codes.has('ECONNREFUSED')) return 'nothing accepts connections there (ECONNREFUSED)';
  if (codes.has('ETIMEDOUT')) return 'the host does not answer (ETIMEDOUT)';
  if (codes.has('EHOSTUNREACH') || codes.has('ENETUNREACH')) return 'no route leads there';
  return reasonOf(error);
}
