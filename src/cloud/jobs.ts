import type { Absence } from './absence.ts';
import { CloudRefusedError, CloudUnreachableError, refusedStatus } from './errors.ts';
import type { CloudAnswer, CloudCall, CloudHttp } from './http.ts';
import { refusal } from './refusal.ts';
import { type Claim, type JobDefinition, parseJobDefinition } from './wire.ts';

/** A line as Pulumi Cloud takes it (protocol section 5): `t` is its time (RFC 3339), `l` its text. */
export interface LogLine {
  readonly t: string;
  readonly l: string;
}

/** Lines of a step's log; `offset` lines of the step were taken before them. */
export interface LogLines {
  readonly offset: number;
  readonly lines: readonly LogLine[];
}

export type StepStatus = 'running' | 'succeeded' | 'failed';

/** What a token is told that the call is not for; to the pool's, even 404 says nothing about the job. */
const NOT_FOR_THIS_TOKEN: ReadonlySet<number> = new Set([401, 403, 404]);

/** What follows from the refusal of a report. */
const AGAIN = 'It is sent again';

/** The pool's token as it is now; with `refused`, which a call carried that got a 401, another one. */
export type PoolToken = (signal: AbortSignal, refused?: string) => Promise<string>;

/**
 * One job's calls, each tried once: they carry the claim's own token. All throw CloudUnreachableError when no answer came,
 * CloudRefusedError for one that refuses, what getting the pool's token throws, and the signal's reason when aborted.
 */
export class JobApi {
  readonly #http: CloudHttp;
  readonly #claim: Claim;
  readonly #poolToken: PoolToken;
  readonly #absence: Pick<Absence, 'note'>;
  /** The calls carry the pool's token instead of the claim's: after a 401 to the first call (protocol section 1). */
  #usesPool = false;
  /** Which of the two it is has been found out. */
  #isSettled = false;
  #withoutContentType = false;

  constructor(http: CloudHttp, claim: Claim, poolToken: PoolToken, absence: Pick<Absence, 'note'>) {
    this.#http = http;
    this.#claim = claim;
    this.#poolToken = poolToken;
    this.#absence = absence;
  }

  /** The job's definition. Throws JobDefinitionError too, when it can't be run. */
  async definition(signal: AbortSignal): Promise<JobDefinition> {
    const purpose = 'read the job definition';
    const answer = await this.#call(
      { method: 'GET', path: '', purpose, needsJson: true, signal },
      'It is asked for again',
    );
    if (answer.json === undefined) {
      throw new CloudUnreachableError(`Failed to ${purpose} for job ${this.#claim.jobId}: the answer is not JSON.`);
    }
    return parseJobDefinition(answer.json, this.#claim.jobId);
  }

  /** Reports where a step stands. */
  async stepStatus(index: number, status: StepStatus, signal: AbortSignal): Promise<void> {
    const purpose = `report step ${index} as ${status}`;
    await this.#call({ method: 'PATCH', path: `/${index}/status`, purpose, body: { status }, signal }, AGAIN);
  }

  /** Sends lines. `too-large`: Pulumi Cloud wants fewer, or shorter ones. */
  async logs(index: number, body: LogLines, signal: AbortSignal): Promise<'accepted' | 'too-large'> {
    const purpose = `send log lines of step ${index}`;
    const call = { method: 'POST', path: `/${index}/logs`, purpose, body, signal } as const;
    try {
      await this.#call({ ...call, withoutContentType: this.#withoutContentType }, AGAIN);
    } catch (error) {
      const status = refusedStatus(error);
      if (status === 413 || status === 400) return 'too-large';
      if (status !== 415 || this.#withoutContentType) throw error;
      this.#withoutContentType = true;
      return this.logs(index, body, signal);
    }
    return 'accepted';
  }

  /** Keeps the claim. */
  async heartbeat(signal: AbortSignal): Promise<void> {
    const call = { method: 'POST', path: '/heartbeat', purpose: 'send a heartbeat', body: {}, signal } as const;
    await this.#call(call, 'The job is stopped if none is accepted for 8 minutes');
  }

  /** A 2xx answer. `then` says what follows from a refusal. */
  async #call(call: Omit<CloudCall, 'token'>, then: string): Promise<CloudAnswer> {
    const answer = await this.#answer(call).catch((error: unknown) => {
      if (!call.signal.aborted) this.#absence.note(refusedStatus(error));
      throw error;
    });
    this.#absence.note(answer.status);
    if (answer.status < 300) return answer;
    const sentence = `Failed to ${call.purpose} for job ${this.#claim.jobId}: ${refusal(answer)}. ${then}.`;
    throw new CloudRefusedError(answer.status, sentence, { retryAfterMs: answer.retryAfterMs });
  }

  async #answer(call: Omit<CloudCall, 'token'>): Promise<CloudAnswer> {
    const path = `/api/workflow/jobs/${encodeURIComponent(this.#claim.jobId)}${call.path}`;
    const usedPool = this.#usesPool;
    const token = usedPool ? await this.#poolToken(call.signal) : this.#claim.jobToken;
    const answer = await this.#http.once({ ...call, path, token });
    if (answer.status !== 401) {
      // Another refusal may come from what stands before Pulumi Cloud.
      this.#isSettled ||= answer.status < 300;
      return answer;
    }
    if (usedPool) {
      // It has expired, and this machine doesn't know: it was suspended perhaps.
      const renewed = await this.#poolToken(call.signal, token);
      return renewed === token ? answer : this.#http.once({ ...call, path, token: renewed });
    }
    // Calls run side by side at first: one that left before another changed the token may change it too.
    if (this.#isSettled && !this.#usesPool) return answer;
    const other = await this.#http.once({ ...call, path, token: await this.#poolToken(call.signal) });
    if (NOT_FOR_THIS_TOKEN.has(other.status)) return answer;
    this.#usesPool = true;
    this.#isSettled = true;
    return other;
  }
}
