import { type Clock, systemClock } from '../clock.ts';
import { CloudRefusedError, JobDefinitionError, JobGoneError } from './errors.ts';
import type { CloudAnswer, CloudCall, CloudHttp } from './http.ts';
import { refusal } from './refusal.ts';
import type { Claim, JobDefinition } from './wire.ts';

/** A batch of a step's log: `offset` lines came before it, within the step. */
export interface LogBatch {
  readonly offset: number;
  readonly lines: readonly { readonly t: string; readonly l: string }[];
  /** The same as JSON, where it is made already. */
  readonly json?: Uint8Array;
}

/** Milliseconds from a 404 to the call that confirms it, and on to the next ones. */
const CONFIRM_MS: readonly number[] = [1_000];
/** The same for a young job: the server that is asked may not have heard of it yet, and a claim never comes again. */
const CONFIRM_YOUNG_MS: readonly number[] = [1_000, 2_000, 4_000];
/** Milliseconds from the claim on that a job is young. */
const YOUNG_MS = 30_000;

/** What a token is told that the call is not for; to the pool's, even 404 says nothing about the job. */
const NOT_FOR_THIS_TOKEN: ReadonlySet<number> = new Set([401, 403, 404]);

/** The pool's token as it is now; with `refused`, which a call carried that got a 401, another one. */
export type PoolToken = (signal: AbortSignal, refused?: string) => Promise<string>;

/** One job's calls: they carry the claim's own token. A 404 that stays, and a 410, is a JobGoneError. */
export class JobApi {
  readonly #http: CloudHttp;
  readonly #claim: Claim;
  readonly #poolToken: PoolToken;
  readonly #clock: Clock;
  /** By the clock's steady time. */
  readonly #claimedAt: number;
  /** The calls carry the pool's token instead of the claim's: after a 401 to the first call (protocol section 1). */
  #usesPool = false;
  /** Which of the two it is has been found out. */
  #settled = false;
  #withoutContentType = false;

  /** Made right after the claim. */
  constructor(http: CloudHttp, claim: Claim, poolToken: PoolToken, clock: Clock = systemClock) {
    this.#http = http;
    this.#claim = claim;
    this.#poolToken = poolToken;
    this.#clock = clock;
    this.#claimedAt = clock.steady();
  }

  /** The job's definition. Throws JobDefinitionError when it can't be run. */
  async definition(signal: AbortSignal): Promise<JobDefinition> {
    const { jobId } = this.#claim;
    const purpose = 'read the job definition';
    const answer = await this.#call({ method: 'GET', path: '', purpose, needsJson: true, signal }, 'call');
    if (answer.status >= 300) {
      throw new JobDefinitionError(
        `Failed to read the job definition for job ${jobId}: ${refusal(answer)}. Start the deployment again; if it stays, report it with the run's artifact.`,
      );
    }
    // Loaded since the claim.
    const { parseJobDefinition } = await import('./wire.ts');
    return parseJobDefinition(answer.json, jobId);
  }

  /** Reports where a step stands. Throws CloudUnreachableError (try again), CloudRefusedError (don't). */
  async stepStatus(index: number, status: 'running' | 'succeeded' | 'failed', signal: AbortSignal): Promise<void> {
    const path = `/${index}/status`;
    const answer = await this.#call({
      method: 'PATCH',
      path,
      purpose: `report step ${index} as ${status}`,
      body: { status },
      signal,
    });
    this.#accepted(answer, `report step ${index} as ${status}`, 'The job goes on');
  }

  /** Sends a batch of lines. `too-large`: Pulumi Cloud wants smaller ones. Throws CloudUnreachableError, CloudRefusedError. */
  async logs(index: number, batch: LogBatch, signal: AbortSignal): Promise<'accepted' | 'too-large'> {
    const purpose = `send log lines of step ${index}`;
    const body = batch.json ?? batch;
    const call = { method: 'POST', path: `/${index}/logs`, purpose, body, signal } as const;
    let answer = await this.#call({ ...call, withoutContentType: this.#withoutContentType });
    if (answer.status === 415 && !this.#withoutContentType) {
      this.#withoutContentType = true;
      answer = await this.#call({ ...call, withoutContentType: true });
    }
    if (answer.status === 413 || answer.status === 400) return 'too-large';
    this.#accepted(answer, purpose, "The lines are in the run's artifact");
    return 'accepted';
  }

  /** Keeps the claim. Throws CloudUnreachableError, CloudRefusedError. */
  async heartbeat(signal: AbortSignal): Promise<void> {
    const answer = await this.#call({
      method: 'POST',
      path: '/heartbeat',
      purpose: 'send a heartbeat',
      body: {},
      signal,
    });
    this.#accepted(answer, 'send a heartbeat', 'The job is stopped if none is accepted for 8 minutes');
  }

  #accepted(answer: CloudAnswer, purpose: string, then: string): void {
    if (answer.status < 300) return;
    throw new CloudRefusedError(
      answer.status,
      `Failed to ${purpose} for job ${this.#claim.jobId}: ${refusal(answer)}. ${then}.`,
    );
  }

  async #call(call: Omit<CloudCall, 'token'>, how: 'call' | 'once' = 'once'): Promise<CloudAnswer> {
    const path = `/api/workflow/jobs/${encodeURIComponent(this.#claim.jobId)}${call.path}`;
    const usedPool = this.#usesPool;
    const token = usedPool ? await this.#poolToken(call.signal) : this.#claim.jobToken;
    let answer = await this.#http[how]({ ...call, path, token });
    // Calls run side by side at first: one that left before another changed the token may change it too.
    if (answer.status === 401 && !usedPool && (this.#usesPool || !this.#settled)) {
      const other = await this.#http[how]({ ...call, path, token: await this.#poolToken(call.signal) });
      if (!NOT_FOR_THIS_TOKEN.has(other.status)) {
        this.#usesPool = true;
        answer = other;
      }
    }
    // It has expired, and this machine doesn't know: it was suspended perhaps.
    if (answer.status === 401 && usedPool) {
      const renewed = await this.#poolToken(call.signal, token).catch(() => token);
      call.signal.throwIfAborted();
      if (renewed !== token) answer = await this.#http[how]({ ...call, path, token: renewed });
    }
    this.#settled = true;
    const young = this.#clock.steady() - this.#claimedAt < YOUNG_MS;
    for (const wait of young ? CONFIRM_YOUNG_MS : CONFIRM_MS) {
      // A server that is just being replaced may say so too, and a deployment must not be stopped half-way for that; one that
      // has not heard of the job may not have heard of its token either. And without a definition the claim is lost.
      const isPassing =
        young && (answer.status === 401 || (call.path === '' && answer.status >= 300 && answer.status !== 410));
      if (answer.status !== 404 && !isPassing) break;
      await this.#clock.sleep(wait, call.signal);
      const same = this.#usesPool ? await this.#poolToken(call.signal) : this.#claim.jobToken;
      answer = await this.#http[how]({ ...call, path, token: same });
    }
    if (answer.status === 404 || answer.status === 410) {
      throw new JobGoneError(
        `Failed to ${call.purpose} for job ${this.#claim.jobId}: ${refusal(answer)}. Pulumi Cloud no longer knows the job.`,
      );
    }
    return answer;
  }
}
