import type { SecureContext } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { proxyFailure, serviceFailure } from './failure.ts';
import { type Environment, type HttpProxy, routeTo } from './proxy.ts';
import { contextOf, trusted } from './trust.ts';
import { tunnel } from './tunnel.ts';

export interface WayOptions {
  readonly serviceUrl: string;
  /** The setting that leads there; `service_url` unless given. */
  readonly setting?: string;
  /** Milliseconds until a connection must stand. */
  readonly connectTimeoutMs: number;
  /** The setting `ca_certificate`. */
  readonly caCertificate?: string | undefined;
  /** The certificates are wanted, whether or not the way needs them. */
  readonly wantsCertificates?: boolean;
  readonly environment: Environment;
}

/** How calls to the service go. */
export interface Way {
  readonly service: URL;
  /** The setting that leads there. */
  readonly setting: string;
  readonly proxy?: HttpProxy | undefined;
  /** The variable that keeps the proxy out. */
  readonly exempted?: string | undefined;
  /** Whom to trust; absent where nothing is encrypted. */
  readonly trust?: SecureContext | undefined;
  /** Milliseconds until a connection must stand. */
  readonly timeoutMs: number;
  /** What no log may show. */
  readonly secrets: readonly string[];
  /** Everything that is trusted, in PEM; undefined when nothing needed it. */
  readonly certificates?: readonly string[] | undefined;
}

/** Finds proxy and trusted certificates for a service. Throws OutcomeError `config-error` for one that can't be used. */
export function findWay(options: WayOptions): Way {
  const { environment, caCertificate, connectTimeoutMs: timeoutMs, setting = 'service_url' } = options;
  const service = new URL(options.serviceUrl);
  const { proxy, exempted } = routeTo(service, environment);
  const isSecured = service.protocol === 'https:' || proxy?.address.startsWith('https:') === true;
  // A certificate that was named is read in any case: it may be wrong.
  const needed = isSecured || caCertificate !== undefined || options.wantsCertificates === true;
  const certificates = needed ? trusted(caCertificate) : undefined;
  const trust = isSecured && certificates !== undefined ? contextOf(certificates) : undefined;
  return { service, setting, proxy, exempted, trust, timeoutMs, secrets: proxy?.secrets ?? [], certificates };
}

/** Connections on that way, in HTTP/1.1 alone: an abort cuts one call. One that fails says what to do about it. The caller destroys them. */
export function openWay(way: Way): Dispatcher {
  const { service, setting, proxy, trust, timeoutMs: timeout } = way;
  const connect = buildConnector({ timeout, allowH2: false, ...(trust && { secureContext: trust }) });
  const explained =
    (explain: (error: Error) => Error, callback: buildConnector.Callback): buildConnector.Callback =>
    (...[error, socket]) =>
      error === null ? callback(null, socket) : callback(explain(error), null);
  const toService = (error: Error) => serviceFailure(error, service, setting);
  if (proxy === undefined)
    return new Agent({ allowH2: false, connect: (place, callback) => connect(place, explained(toService, callback)) });
  // undici's ProxyAgent says neither what a proxy answered nor whose certificate was refused.
  if (service.protocol === 'https:')
    return new Agent({
      allowH2: false,
      connect: (place, callback) =>
        void tunnel({ ...way, proxy }).then(
          (httpSocket) => connect({ ...place, httpSocket }, explained(toService, callback)),
          (error: Error) => callback(error, null),
        ),
    });
  // A service by plain http is asked of the proxy, not tunnelled to: proxies seldom open a tunnel to port 80.
  const toProxy = (error: Error) => proxyFailure(error, proxy);
  return new ProxyAgent({
    uri: proxy.address,
    ...(proxy.authorization && { token: proxy.authorization }),
    allowH2: false,
    factory: (origin) =>
      new Pool(origin, { allowH2: false, connect: (place, callback) => connect(place, explained(toProxy, callback)) }),
  });
}
