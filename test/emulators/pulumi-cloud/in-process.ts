import { CloudRefusedError, CloudUnreachableError, JobDefinitionError } from '../../../src/cloud/errors.ts';
import type { JobApi } from '../../../src/cloud/jobs.ts';
import { type JobDefinition, parseJobDefinition } from '../../../src/cloud/wire.ts';
import type { Answer } from './call.ts';
import type { Deployment, ReportedStatus } from './deployment.ts';
import type { FaultAnswer, Script } from './faults.ts';
import type { CloudModel } from './model.ts';

const HEADERS = { accept: 'application/vnd.pulumi+8', 'user-agent': 'agent/1.2.3 (linux; x64)' };

/** A step's lines, as a job's `logs` takes them. */
export interface Batch {
  readonly offset: number;
  readonly lines: readonly { readonly t: string; readonly l: string }[];
  /** The same as JSON, where it is made already. */
  readonly json?: Uint8Array;
}

/** What came back: the status, 0 where the connection was cut. */
export interface Answered {
  readonly status: number;
  readonly json: unknown;
  readonly retryAfterMs?: number;
  readonly isPage: boolean;
}

/** A claimed job's calls before the model itself, without a socket: every call is checked as over HTTP, and meets the same faults. */
export class JobInProcess implements Pick<JobApi, 'definition' | 'stepStatus' | 'logs' | 'heartbeat'> {
  readonly cloud: CloudModel;
  readonly deployment: Deployment;
  readonly #token: string;

  private constructor(parts: Pick<JobInProcess, 'cloud' | 'deployment'>, token: string) {
    this.cloud = parts.cloud;
    this.deployment = parts.deployment;
    this.#token = token;
  }

  /** Queues a job and claims it. */
  static claim(cloud: CloudModel, job: unknown): JobInProcess {
    const stack = `stack-${cloud.deployments.length + 1}`;
    const poolId = cloud.pools[0]?.id ?? '';
    const deployment = cloud.enqueue({ project: 'web', stack, poolId, job });
    return new JobInProcess({ cloud, deployment }, cloud.claim(deployment, poolId));
  }

  async definition(signal: AbortSignal): Promise<JobDefinition> {
    const { status, json } = await this.#accepted('GET', '', undefined, signal);
    if (status >= 300)
      throw new JobDefinitionError(`Failed to read the job definition: HTTP ${status}.`, { code: 'PRA-CLOUD-06' });
    return parseJobDefinition(json, this.deployment.jobId);
  }

  /** As JobApi's; `fault` meets this call, instead of the model's scripts. */
  async stepStatus(index: number, status: ReportedStatus, signal: AbortSignal, fault?: Script): Promise<void> {
    await this.#accepted('PATCH', `/${index}/status`, { status }, signal, fault);
  }

  /** As JobApi's; `fault` meets this call, instead of the model's scripts. */
  async logs(index: number, batch: Batch, signal: AbortSignal, fault?: Script): Promise<void> {
    const { offset, lines, json } = batch;
    const body = json === undefined ? { offset, lines } : Buffer.from(json);
    const answer = await this.send('POST', `/${index}/logs`, body, signal, fault);
    this.#throwUnlessTaken(answer, `POST /${index}/logs`);
  }

  async heartbeat(signal: AbortSignal): Promise<void> {
    await this.#accepted('POST', '/heartbeat', {}, signal);
  }

  /**
   * Makes a call of the job as it would go over the wire. Rejects with the signal's reason, also while it hangs.
   * @param fault what meets this call, instead of the model's scripts.
   */
  async send(method: string, path: string, body: unknown, signal: AbortSignal, fault?: Script): Promise<Answered> {
    signal.throwIfAborted();
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const arrival = this.cloud.arrive({
      method,
      url: `/api/workflow/jobs/${this.deployment.jobId}${path}`,
      headers: { ...HEADERS, authorization: `token ${this.#token}` },
    });
    try {
      const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body) ?? '');
      const { answer, fault: met } = await this.cloud.serve(arrival, bytes, fault);
      this.cloud.notify();
      const said = inProcess(met, answer);
      if (said === 'hang') return await aborted;
      if (said === 'reset') return { status: 0, json: undefined, isPage: false };
      const { status, headers = {}, body: json } = said;
      arrival.entry.status = status;
      const retryAfter = Number(headers['retry-after']);
      return {
        status,
        json,
        isPage: headers['content-type'] === 'text/html',
        ...(Number.isFinite(retryAfter) ? { retryAfterMs: retryAfter * 1000 } : {}),
      };
    } finally {
      arrival.entry.abandoned = arrival.entry.status === 0 && signal.aborted;
      arrival.release();
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #accepted(method: string, path: string, body: unknown, signal: AbortSignal, fault?: Script): Promise<Answered> {
    const answer = await this.send(method, path, body, signal, fault);
    if (path !== '' || [0, 404, 408, 410, 429].includes(answer.status) || answer.status >= 500)
      this.#throwUnlessTaken(answer, `${method} ${path}`);
    return answer;
  }

  /** As JobApi tells what an answer means, but at the first one. */
  #throwUnlessTaken({ status, isPage, retryAfterMs }: Answered, what: string): void {
    const message = `Failed to call ${what} for the job: HTTP ${status}.`;
    const code = 'PRA-CLOUD-08';
    if (
      status === 0 ||
      status === 408 ||
      status === 429 ||
      (status >= 500 && status !== 501) ||
      (isPage && status < 300)
    ) {
      throw new CloudUnreachableError(message, { code, retryAfterMs, status: status === 0 ? undefined : status });
    }
    if (status >= 300) throw new CloudRefusedError(status, message, { code, retryAfterMs });
  }
}

/** What a client without a socket meets. @throws Error for bytes of a fault's own, which need a connection. */
function inProcess(fault: FaultAnswer | undefined, answer: Answer | undefined): Answer | 'hang' | 'reset' {
  if (typeof fault === 'function') throw new Error('Failed to spoil an answer for a call in-process: it has no bytes.');
  if (fault === 'close') return 'reset';
  return fault ?? answer ?? 'reset';
}
