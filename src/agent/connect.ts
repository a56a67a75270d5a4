import { CloudHttp } from '../cloud/http.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import type { Redactor } from '../log/redactor.ts';
import type { Environment } from '../network/proxy.ts';
import { findWay, openWay } from '../network/way.ts';
import { VERSION } from '../version.ts';
import type { Log } from './logging/agent-log.ts';

export interface ConnectSources {
  /** The agent's own environment, which may name proxies and certificates. */
  readonly environment: Environment;
  readonly log: Log;
  readonly redactor: Redactor;
}

/** The way to Pulumi Cloud. */
export interface Connection {
  readonly http: CloudHttp;
  /** Everything that is trusted, as one PEM text for jobs; only where the configuration asks for it. */
  readonly caBundle?: string;
  /** Cuts whatever is still in flight. */
  close(): Promise<void>;
}

/**
 * Opens the way to Pulumi Cloud as configured; nothing is sent yet. Its retries are told to `log`.
 * Throws OutcomeError `config-error` for a proxy or a certificate that can't be used.
 */
export function connect(config: AgentConfig, { environment, log, redactor }: ConnectSources): Connection {
  const { serviceUrl, caCertificate, caCertificateInJobs } = config;
  const way = findWay({
    serviceUrl,
    connectTimeoutMs: Math.min(10_000, config.requestTimeoutMs),
    caCertificate,
    wantsCertificates: caCertificateInJobs,
    environment,
  });
  const { proxy, exempted, certificates } = way;
  redactor.add(way.secrets);
  if (proxy !== undefined)
    log('info', `Pulumi Cloud is reached through the proxy ${proxy.address} (${proxy.variable}).`);
  if (exempted !== undefined) log('info', `Pulumi Cloud is reached directly: ${exempted} lists ${way.service.host}.`);
  const dispatcher = openWay(way);
  const http = new CloudHttp({
    serviceUrl,
    requestTimeoutMs: config.requestTimeoutMs,
    retryCount: config.requestRetryCount,
    retryWaitMs: config.requestRetryWaitMs,
    retryMaxWaitMs: config.requestRetryMaxWaitMs,
    circuitBreakerFailures: config.circuitBreakerFailures,
    circuitBreakerTimeoutMs: config.circuitBreakerTimeoutMs,
    userAgent: `pulumi-runner-agent/${VERSION} (${globalThis.process.platform}; ${globalThis.process.arch})`,
    dispatcher,
    now: () => Date.now(),
    onRetry: (purpose, reason, waitMs, again) =>
      log(
        again ? 'debug' : 'warning',
        `Failed to ${purpose}: ${reason}. Trying again in ${(waitMs / 1000).toFixed(1)} s.`,
      ),
  });
  const caBundle = caCertificateInJobs ? certificates?.map((certificate) => `${certificate}\n`).join('') : undefined;
  return { http, ...(caBundle && { caBundle }), close: () => dispatcher.destroy() };
}
