import Connections from 'undici/lib/dispatcher/agent.js';
import { CloudHttp } from '../cloud/http.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import { VERSION } from '../version.ts';
import type { Log } from './agent-log.ts';

/** The way to Pulumi Cloud. */
export interface Connection {
  readonly http: CloudHttp;
  /** Cuts whatever is still in flight. */
  close(): Promise<void>;
}

/** Opens the way to Pulumi Cloud as configured; nothing is sent yet. Its retries are told to `log`. */
export function connect(config: AgentConfig, log: Log): Connection {
  const dispatcher = new Connections({ connect: { timeout: Math.min(10_000, config.requestTimeoutMs) } });
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
    onRetry: (purpose, reason, waitMs) =>
      log('warning', `Failed to ${purpose}: ${reason}. Trying again in ${(waitMs / 1000).toFixed(1)} s.`),
  });
  return { http, close: () => dispatcher.destroy() };
}
