import type { Dispatcher } from 'undici';
import { CloudHttp } from '../cloud/http.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import type { Redactor } from '../log/redactor.ts';
import type { Environment } from '../network/proxy-variable.ts';
import { openWay } from '../network/way.ts';
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
export async function connect(config: AgentConfig, sources: ConnectSources): Promise<Connection> {
  const { log } = sources;
  const { dispatcher, caBundle } = await openDispatcher(config, sources);
  const http = new CloudHttp({
    serviceUrl: config.serviceUrl,
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
  return { http, ...(caBundle === undefined ? {} : { caBundle }), close: () => dispatcher.destroy() };
}

async function openDispatcher(
  config: AgentConfig,
  { environment, log, redactor }: ConnectSources,
): Promise<{ dispatcher: Dispatcher; caBundle?: string }> {
  const { serviceUrl, caCertificate, caCertificateInJobs } = config;
  const connectTimeoutMs = Math.min(10_000, config.requestTimeoutMs);
  const { dispatcher, notices, secrets, certificates } = await openWay({
    serviceUrl,
    connectTimeoutMs,
    ...(caCertificate === undefined ? {} : { caCertificate }),
    wantsCertificates: caCertificateInJobs,
    environment,
    platform: globalThis.process.platform,
  });
  redactor.add(secrets);
  for (const notice of notices) log('info', notice);
  return caCertificateInJobs && certificates !== undefined
    ? { dispatcher, caBundle: `${certificates.join('\n')}\n` }
    : { dispatcher };
}
