import type { Dispatcher } from 'undici';
import { CloudHttp } from '../../../src/cloud/http.ts';
import { JobApi, type LogLines } from '../../../src/cloud/jobs.ts';
import type { JobDefinition } from '../../../src/cloud/wire.ts';
import type { Deployment, ReportedStatus } from './deployment.ts';
import type { Script } from './faults.ts';
import type { CloudModel } from './model.ts';
import type { Head } from './reception.ts';
import { type WrittenAnswer, writtenOf } from './wire-faults.ts';

/** Calls a model without a socket, with the same checks and faults. @throws Error where the connection is cut; the signal's reason. */
export async function callModel(
  cloud: CloudModel,
  head: Head,
  body: Buffer,
  signal: AbortSignal,
): Promise<WrittenAnswer> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const arrival = cloud.arrive(head);
  try {
    const { answer, fault } = await cloud.serve(arrival, body);
    cloud.notify();
    if (typeof fault === 'function') throw new Error('Failed to spoil an answer in-process: it has no bytes.');
    const met = fault ?? answer;
    if (met === 'hang') return await aborted;
    if (met === undefined || met === 'reset') throw new Error('the connection was cut');
    arrival.entry.status = met.status;
    return writtenOf(met);
  } finally {
    arrival.entry.abandoned = arrival.entry.status === 0 && signal.aborted;
    arrival.release();
    signal.removeEventListener('abort', onAbort);
  }
}

/** A claimed job and its agent's own calls, which reach the model without a socket. */
export class JobInProcess implements Pick<JobApi, 'definition' | 'stepStatus' | 'logs' | 'heartbeat'> {
  readonly cloud: CloudModel;
  readonly deployment: Deployment;
  readonly #api: JobApi;

  private constructor(cloud: CloudModel, deployment: Deployment, jobToken: string) {
    this.cloud = cloud;
    this.deployment = deployment;
    const claim = { jobId: deployment.jobId, jobToken, oidcToken: undefined, runId: '', deploymentId: deployment.id };
    const get = async () => cloud.createStaticToken(deployment.pool.id);
    const tokens = { method: 'token', expiresAt: undefined, get } as const;
    this.#api = new JobApi(httpOf(cloud), claim, tokens, { note: () => undefined });
  }

  /** Queues a job and claims it. */
  static claim(cloud: CloudModel, job: unknown): JobInProcess {
    const stack = `stack-${cloud.deployments.length + 1}`;
    const poolId = cloud.pools[0]?.id ?? '';
    const deployment = cloud.enqueue({ project: 'web', stack, poolId, job });
    return new JobInProcess(cloud, deployment, cloud.claim(deployment, poolId));
  }

  definition(signal: AbortSignal): Promise<JobDefinition> {
    return this.#api.definition(signal);
  }

  /** As JobApi's; `fault` meets this call. */
  stepStatus(index: number, status: ReportedStatus, signal: AbortSignal, fault?: Script): Promise<void> {
    return this.#met(`/${index}/status`, fault, () => this.#api.stepStatus(index, status, signal));
  }

  /** As JobApi's; `fault` meets this call. */
  logs(index: number, lines: LogLines, signal: AbortSignal, fault?: Script): Promise<void> {
    return this.#met(`/${index}/logs`, fault, () => this.#api.logs(index, lines, signal));
  }

  /** As JobApi's; `fault` meets this call. */
  heartbeat(signal: AbortSignal, fault?: Script): Promise<void> {
    return this.#met('/heartbeat', fault, () => this.#api.heartbeat(signal));
  }

  async #met(path: string, fault: Script | undefined, call: () => Promise<void>): Promise<void> {
    const script = fault && this.cloud.script({ ...fault, path: new RegExp(`${this.deployment.jobId}${path}$`) });
    try {
      await call();
    } finally {
      script?.remove();
    }
  }
}

/** The agent's own client, whose requests go to the model. */
function httpOf(cloud: CloudModel): CloudHttp {
  const request = async ({ method, path, headers, body, signal }: Dispatcher.RequestOptions<null>) => {
    const head = { method, url: path, headers: headers as Record<string, string> };
    const answer = await callModel(cloud, head, Buffer.from(String(body ?? '')), signal as AbortSignal);
    return { statusCode: answer.status, headers: answer.headers, body: [Buffer.from(answer.text)] };
  };
  return new CloudHttp({
    serviceUrl: 'http://in-process.test',
    requestTimeoutMs: 600_000,
    retryCount: 0,
    retryWaitMs: 0,
    retryMaxWaitMs: 0,
    circuitBreakerFailures: 1,
    circuitBreakerTimeoutMs: 0,
    userAgent: 'agent/1.2.3 (linux; x64)',
    dispatcher: { request } as unknown as Dispatcher,
  });
}
