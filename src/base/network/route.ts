/*
 * base/network/: how a process reaches a service.
 *
 * This file decides and opens the route: proxy.ts and no-proxy.ts say through which proxy, tunnel.ts goes through it,
 * trust.ts has the certificates, failure.ts the errors that say what to correct. handshakes.ts is for a whole process.
 */

import type { SecureContext } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { Environment } from '../environment.ts';
import { proxyFailure, serviceFailure } from './failure.ts';
import { type ProxyChoice, proxyFor } from './proxy.ts';
import { contextOf, trustedCertificates } from './trust.ts';
import { tunnel } from './tunnel.ts';

export interface RouteOptions {
  readonly serviceUrl: string;
  /** The setting that names the service; `service_url` by default. */
  readonly setting?: string | undefined;
  /** The time to establish a connection. */
  readonly connectTimeoutMs: number;
  readonly caCertificate?: string | undefined;
  /** Return the certificates even if no connection needs them. */
  readonly wantsCertificates?: boolean | undefined;
  readonly environment: Environment;
}

/** How to connect to the service. */
export interface Route extends ProxyChoice {
  readonly service: URL;
  /** The setting that names the service. */
  readonly setting: string;
  /** Authorities to trust; absent if nothing is encrypted. */
  readonly trust?: SecureContext | undefined;
  /** The time to establish a connection. */
  readonly timeoutMs: number;
  /** The values that no log may show. */
  readonly secrets: readonly string[];
  /** All trusted certificates in PEM; undefined if nothing needs them. */
  readonly certificates?: readonly string[] | undefined;
}

/**
 * Determines proxy and trusted certificates for a service. Throws OutcomeError `config-error` if
 * either is invalid.
 */
export function findRoute(options: RouteOptions): Route {
  const { environment, caCertificate, connectTimeoutMs: timeoutMs, setting = 'service_url' } = options;
  const service = new URL(options.serviceUrl);
  const choice = proxyFor(service, environment);
  const { proxy } = choice;
  const isSecured = service.protocol === 'https:' || proxy?.address.startsWith('https:') === true;

  // A configured certificate is always read, to report an invalid one.
  const needsCertificates = isSecured || caCertificate !== undefined || options.wantsCertificates === true;
  const certificates = needsCertificates ? trustedCertificates(caCertificate) : undefined;
  const trust = isSecured && certificates !== undefined ? contextOf(certificates) : undefined;

  return { ...choice, service, setting, trust, timeoutMs, secrets: proxy?.secrets ?? [], certificates };
}

/**
 * Opens a dispatcher, HTTP/1.1 only: an abort cuts just one call. Its errors say what to do. The
 * caller destroys it.
 */
export function openRoute(route: Route): Dispatcher {
  const { service, setting, proxy, trust, timeoutMs: timeout } = route;
  const connect = buildConnector({ timeout, allowH2: false, ...(trust && { secureContext: trust }) });

  const mapError =
    (toError: (error: Error) => Error, callback: buildConnector.Callback): buildConnector.Callback =>
    (...[error, socket]) =>
      error === null ? callback(null, socket) : callback(toError(error), null);

  const toService = (error: Error) => serviceFailure(error, service, setting);

  if (proxy === undefined)
    return new Agent({
      allowH2: false,
      connect: (place, callback) => connect(place, mapError(toService, callback)),
    });

  // undici's ProxyAgent reports neither the proxy's answer nor whose certificate was refused.
  if (service.protocol === 'https:')
    return new Agent({
      allowH2: false,
      connect: (place, callback) =>
        void tunnel(proxy, service, timeout, trust).then(
          (httpSocket) => connect({ ...place, httpSocket }, mapError(toService, callback)),
          (error: Error) => callback(error, null),
        ),
    });

  // Plain http is forwarded, not tunnelled: proxies seldom allow a tunnel to port 80.
  const toProxy = (error: Error) => proxyFailure(error, proxy);
  return new ProxyAgent({
    uri: proxy.address,
    ...(proxy.authorization && { token: proxy.authorization }),
    allowH2: false,
    factory: (origin) =>
      new Pool(origin, {
        allowH2: false,
        connect: (place, callback) => connect(place, mapError(toProxy, callback)),
      }),
  });
}
