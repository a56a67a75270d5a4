import { once } from 'node:events';
import type { Dispatcher } from 'undici';
import { CloudHttp } from '../../../src/cloud/http.ts';
import { JobApi } from '../../../src/cloud/job-api.ts';
import type { Deployment } from './deployment.ts';
import type { CloudModel } from './model.ts';
import type { Head } from './reception.ts';
import { type WrittenAnswer, writtenOf } from './wire-faults.ts';

/** Calls a model without a socket, with the same checks and faults. @throws Error if cut off; the signal's reason. */
export async function callModel(
  cloud: CloudModel,
  head: Head,
  body: Buffer,
  signal: AbortSignal,
): Promise<WrittenAnswer> {
  signal.throwIfAborted();
  const arrival = cloud.arrive(head);
  try {
    const { answer, fault } = await cloud.serve(arrival, body);
    cloud.notify();
    if (typeof fault === 'function')
      throw new Error('Failed to spoil an answer in-process: it has no bytes.');
    const met = fault ?? answer;
    if (met === 'hang') {
      if (!signal.aborted) await once(signal, 'abort');
      throw signal.reason;
    }
    if (met === undefined || met === 'reset') throw new Error('the connection was cut');
    arrival.entry.status = met.status;
    return writtenOf(met);
  } finally {
    arrival.release();
  }
}

/** Claims a deployment, which must be its pool's next. @returns a job API that calls the model without a socket. */
export function claimInProcess(cloud: CloudModel, { id, jobId, pool }: Deployment): JobApi {
  const claim = { jobId, jobToken: cloud.claim(id), oidcToken: undefined, runId: '', deploymentId: id };
  const get = async () => cloud.createStaticToken(pool.id);
  const tokens = { method: 'token', expiresAt: undefined, get } as const;
  return new JobApi(httpOf(cloud), claim, tokens);
}

/** The agent's own HTTP client, with its requests sent to the model. */
function httpOf(cloud: CloudModel): CloudHttp {
  const request = async ({ method, path, headers, body, signal }: Dispatcher.RequestOptions<null>) => {
    const head = { method, url: path, headers: headers as Record<string, string> };
    const answer = await callModel(cloud, head, Buffer.from(String(body ?? '')), signal as AbortSignal);
    return { statusCode: answer.status, headers: answer.headers, body: [Buffer.from(answer.text)] };
  };
  // No connection is made, so nothing is to be seen on one.
  const dispatcher = { request, compose: (): unknown => dispatcher } as unknown as Dispatcher;
  return new CloudHttp({
    serviceUrl: 'http://in-process.test',
    requestTimeoutMs: 600_000,
    retryCount: 0,
    retryWaitMs: 0,
    retryMaxWaitMs: 0,
    circuitBreakerFailures: 1,
    circuitBreakerTimeoutMs: 0,
    userAgent: 'agent/1.2.3 (linux; x64)',
    dispatcher,
  });
}
