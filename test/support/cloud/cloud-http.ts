import { Agent } from 'undici';
import { onTestFinished } from 'vitest';
import type { CloudCall } from '../../../src/cloud/attempt.ts';
import { CloudHttp, type CloudHttpOptions } from '../../../src/cloud/http.ts';

/** A client for `serviceUrl` with short waits; its connections close when the running test is over. */
export function cloudHttp(serviceUrl: string, options: Partial<CloudHttpOptions> = {}): CloudHttp {
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.destroy());
  return new CloudHttp({
    serviceUrl,
    requestTimeoutMs: 10_000,
    retryCount: 2,
    retryWaitMs: 10,
    retryMaxWaitMs: 40,
    circuitBreakerFailures: 1_000,
    circuitBreakerTimeoutMs: 60_000,
    userAgent: 'agent/1.2.3 (linux; x64)',
    dispatcher,
    ...options,
  });
}

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal;

/** A call, with defaults for everything that a test does not care about. */
export function aCall(call: Partial<CloudCall> = {}): CloudCall {
  return {
    method: 'GET',
    path: '/api/thing',
    purpose: 'do the thing',
    code: 'PRA-CLOUD-01',
    signal: never,
    ...call,
  };
}
