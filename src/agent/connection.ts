import { systemClock } from '../base/clock.ts';
import { type AgentConfig, audienceOf } from '../base/config/agent-config.ts';
import { defined } from '../base/defined.ts';
import type { Environment } from '../base/environment.ts';
import type { Log } from '../base/log/level.ts';
import type { Redactor } from '../base/log/redactor.ts';
import { findRoute, openRoute } from '../base/network/route.ts';
import { counted, span } from '../base/quantity.ts';
import { VERSION } from '../base/version.ts';
import type { RequestEnd } from '../cloud/attempt.ts';
import { CloudHttp } from '../cloud/http.ts';
import { ORGANIZATION, StaticToken, type TokenSource } from '../cloud/token.ts';
import { ExchangedAccessToken, type ExchangeOptions, OidcToken } from '../cloud/token-exchange.ts';

/**
 * Tokens kept redacted: the ID token, the one exchanged for it, and the two before them, which may
 * still show up.
 */
const KEPT_TOKENS = 4;

export interface ConnectSources {
  /** The agent's own environment, which may name proxies and certificates. */
  readonly environment: Environment;
  readonly log: Log;
  readonly redactor: Redactor;
  /** Called with each request to Pulumi Cloud once it has ended. */
  readonly onRequest?: (request: RequestEnd) => void;
  /** Called with a sentence as calls are paused; it goes to the log when absent. */
  readonly onPause?: (sentence: string) => void;
}

export interface Connection {
  readonly http: CloudHttp;
  /**
   * All trusted certificates as one PEM text for jobs; absent unless the configuration asks for it.
   */
  readonly caBundle: string | undefined;
  /** Aborts requests still in flight. */
  close(): Promise<void>;
}

/**
 * Prepares a connection; sends nothing. Throws OutcomeError `config-error` for an unusable proxy or
 * certificate.
 */
export function connect(config: AgentConfig, sources: ConnectSources): Connection {
  const { environment, log, redactor, onRequest, onPause = (sentence) => log('warning', sentence) } = sources;
  const { serviceUrl, requestTimeoutMs, circuitBreakerFailures, circuitBreakerTimeoutMs } = config;
  const { caCertificate, caCertificateInJobs: wantsCertificates } = config;
  const connectTimeoutMs = Math.min(10_000, requestTimeoutMs);
  const route = findRoute({ serviceUrl, connectTimeoutMs, caCertificate, wantsCertificates, environment });
  const { proxy, exempted, certificates } = route;

  redactor.add(route.secrets);
  if (proxy !== undefined)
    log('info', `Pulumi Cloud is reached through the proxy ${proxy.address} (${proxy.variable}).`);
  if (exempted !== undefined)
    log('info', `Pulumi Cloud is reached directly: ${exempted} lists ${route.service.host}.`);

  const dispatcher = openRoute(route);
  const http = new CloudHttp({
    serviceUrl,
    requestTimeoutMs,
    retryCount: config.requestRetryCount,
    retryWaitMs: config.requestRetryWaitMs,
    retryMaxWaitMs: config.requestRetryMaxWaitMs,
    circuitBreakerFailures,
    circuitBreakerTimeoutMs,
    userAgent: `pulumi-runner-agent/${VERSION} (${process.platform}; ${process.arch})`,
    dispatcher,
    onRequest,
    onRetry: (purpose, reason, waitMs, again) => {
      const wait = `${(waitMs / 1000).toFixed(1)} s`;
      log(again ? 'debug' : 'warning', `Failed to ${purpose}: ${reason}. Trying again in ${wait}.`);
    },
    onPause: () => {
      const pause = `polling and signing in pause for ${span(circuitBreakerTimeoutMs)} (circuit_breaker_timeout)`;
      onPause(`After ${counted(circuitBreakerFailures, 'failed call')}, ${pause}.`);
    },
  });

  const caBundle = wantsCertificates
    ? certificates?.map((certificate) => `${certificate}\n`).join('')
    : undefined;

  return { http, caBundle, close: () => dispatcher.destroy() };
}

/**
 * The pool token as configured: given, or exchanged for the ID token. Every token goes to the
 * redactor.
 */
export function tokenSource(config: AgentConfig, http: CloudHttp, redactor: Redactor): TokenSource {
  const { runnerPoolId: poolId, runnerPoolName: poolName, oidcScope: scope } = config;
  if (config.oidcTokenFile === undefined || config.organizationName === undefined || poolId === undefined)
    return new StaticToken(config.token ?? '');

  const wanted = {
    poolId,
    ...defined({ poolName, scope, expirationSeconds: config.tokenExpirationSeconds }),
  };

  return new OidcToken({ ...exchangeOptions(config, http, redactor), ...wanted });
}

/**
 * True if each run has an access token anyway: a given one, or one that `trigger` exchanges. None is
 * asked for only to read.
 */
export function hasAccessToken({
  accessToken,
  trigger,
}: Pick<AgentConfig, 'accessToken' | 'trigger'>): boolean {
  return accessToken !== undefined || trigger.length > 0;
}

/**
 * The access token as configured: given, or exchanged for the ID token. Every token goes to the
 * redactor.
 */
export function accessTokenSource(config: AgentConfig, http: CloudHttp, redactor: Redactor): TokenSource {
  const { accessToken, accessTokenScope: scope } = config;
  if (accessToken !== undefined) return new StaticToken(accessToken, ORGANIZATION);
  return new ExchangedAccessToken({ ...exchangeOptions(config, http, redactor), ...defined({ scope }) });
}

function exchangeOptions(config: AgentConfig, http: CloudHttp, redactor: Redactor): ExchangeOptions {
  const { oidcTokenFile: tokenFile = '', organizationName: organization = '' } = config;
  const onSecret = redactor.recent(KEPT_TOKENS);
  return { http, tokenFile, organization, audience: audienceOf(config) ?? '', clock: systemClock, onSecret };
}
