import type { Timepiece } from '../clock.ts';
import type { CloudAnswer, CloudCall } from './attempt.ts';
import { CloudRefusedError, refusedStatus } from './errors.ts';
import type { CloudHttp } from './http.ts';
import { refusal } from './refusal.ts';
import { AuthorizedHttp, POOL, type TokenSource } from './token.ts';
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

/** Milliseconds for which every call about a job must find it absent: an ingress without a backend answers 404 too. */
const ABSENCE_MS = 60_000;

/** What the calls about one job say of its being there (protocol section 5): it is gone when all of them have denied it for a minute. */
export class Absence {
  readonly #clock: Timepiece;
  readonly #onProven: () => void;
  /** By the steady clock. */
  #since: number | undefined;
  #isProven = false;

  /** `onProven` is called once. */
  constructor(clock: Timepiece, onProven: () => void) {
    this.#clock = clock;
    this.#onProven = onProven;
  }

  /** Notes the HTTP status of a call about the job; undefined where no answer came. */
  note(status: number | undefined): void {
    if (status !== 404 && status !== 410) {
      this.#since = undefined;
      return;
    }
    this.#since ??= this.#clock.steady();
    if (this.#isProven || this.#clock.steady() - this.#since < ABSENCE_MS) return;
    this.#isProven = true;
    this.#onProven();
  }
}

/** The answers to a token that the call is not for; to the pool's, even 404 says nothing about the job. */
const NOT_FOR_THIS_TOKEN: ReadonlySet<number> = new Set([401, 403, 404]);

/** A call about the job: its path below the job's, and what follows from a refusal, as a sentence. */
type JobCall = Omit<CloudCall, 'token'> & { readonly follows?: string };

/** One job's calls, each tried once. All throw CloudUnreachableError, CloudRefusedError, AuthError, and the signal's reason. */
export class JobApi {
  readonly #http: CloudHttp;
  readonly #claim: Claim;
  readonly #tokens: TokenSource;
  readonly #pool: AuthorizedHttp;
  readonly #absence: Pick<Absence, 'note'>;
  /** Whose token the calls carry; undefined until one was accepted, or the pool's was tried (protocol section 1). */
  #token: 'claim' | 'pool' | undefined;
  #withoutContentType = false;

  constructor(http: CloudHttp, claim: Claim, tokens: TokenSource, absence: Pick<Absence, 'note'>) {
    this.#http = http;
    this.#claim = claim;
    this.#tokens = tokens;
    this.#pool = new AuthorizedHttp(http, tokens, POOL);
    this.#absence = absence;
  }

  /** The job's definition. Throws JobDefinitionError too, when it can't be run. */
  async definition(signal: AbortSignal): Promise<JobDefinition> {
    const purpose = 'read the job definition';
    const answer = await this.#call({
      method: 'GET',
      path: '',
      purpose,
      code: 'PRA-CLOUD-06',
      needsJson: true,
      signal,
    });
    return parseJobDefinition(answer.json, this.#claim.jobId);
  }

  /** Reports where a step stands. */
  async stepStatus(index: number, status: StepStatus, signal: AbortSignal): Promise<void> {
    const purpose = `report step ${index} as ${status}`;
    const call = { method: 'PATCH', path: `/${index}/status`, purpose, code: 'PRA-CLOUD-08', signal } as const;
    await this.#call({ ...call, body: { status }, follows: ' It is sent again.' });
  }

  /** Sends lines. */
  async logs(index: number, body: LogLines, signal: AbortSignal): Promise<void> {
    const purpose = `send log lines of step ${index}`;
    const call = { method: 'POST', path: `/${index}/logs`, purpose, code: 'PRA-CLOUD-09', body, signal } as const;
    try {
      await this.#call({ ...call, withoutContentType: this.#withoutContentType, follows: ' They are sent again.' });
    } catch (error) {
      if (refusedStatus(error) !== 415 || this.#withoutContentType) throw error;
      this.#withoutContentType = true;
      await this.logs(index, body, signal);
    }
  }

  /** Keeps the claim. */
  async heartbeat(signal: AbortSignal): Promise<void> {
    const call = { method: 'POST', path: '/heartbeat', purpose: 'send a heartbeat', code: 'PRA-CLOUD-10' } as const;
    await this.#call({ ...call, body: {}, signal, follows: ' The job is stopped if none is accepted for 8 minutes.' });
  }

  /** A 2xx answer. */
  async #call({ follows = '', ...call }: JobCall): Promise<CloudAnswer> {
    const answer = await this.#answer(call).catch((error: unknown) => {
      if (!call.signal.aborted) this.#absence.note(refusedStatus(error));
      throw error;
    });
    const { status, retryAfterMs } = answer;
    this.#absence.note(status);
    if (status < 300) return answer;
    const sentence = `Failed to ${call.purpose} for job ${this.#claim.jobId}: ${refusal(answer)}.${follows}`;
    throw new CloudRefusedError(status, sentence, { retryAfterMs, code: call.code });
  }

  /** The first 401 to the claim's token, before any call was accepted, is asked again with the pool's: once. */
  async #answer(call: JobCall): Promise<CloudAnswer> {
    const path = `/api/workflow/jobs/${encodeURIComponent(this.#claim.jobId)}${call.path}`;
    const once = (token: string) => this.#http.once({ ...call, path, token });
    if (this.#token === 'pool') return this.#pool.once({ ...call, path });
    const answer = await once(this.#claim.jobToken);
    if (answer.status < 300) this.#token ??= 'claim';
    // Another refusal may come from what stands before Pulumi Cloud.
    if (answer.status !== 401 || this.#token === 'claim') return answer;
    const before = this.#token;
    this.#token ??= 'claim';
    try {
      const other = await once(await this.#tokens.get(call.signal));
      if (NOT_FOR_THIS_TOKEN.has(other.status)) return answer;
      this.#token = 'pool';
      return other;
    } catch (error) {
      // No answer: it was not tried.
      this.#token = before;
      throw error;
    }
  }
}
