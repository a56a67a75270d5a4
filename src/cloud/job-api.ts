import { span } from '../base/quantity.ts';
import { type CloudAnswer, refused } from './attempt.ts';
import { refusedStatus } from './errors.ts';
import { FENCE_MS } from './fence.ts';
import type { CloudHttp } from './http.ts';
import { type Claim, type JobDefinition, parseJobDefinition } from './job-wire.ts';
import { type AuthorizedCall, AuthorizedHttp, POOL, type TokenSource } from './token.ts';

/** Lines of a step's log, after the `offset` lines that were accepted before. */
export interface LogLines {
  readonly offset: number;
  readonly count: number;
  /** JSON, with commas between: `{"t":<RFC 3339>,"l":<text>},…` (protocol section 5). */
  readonly json: Buffer;
}

export type StepStatus = 'running' | 'succeeded' | 'failed';

/** Statuses for a token that a call doesn't accept; even 404 says nothing about the job then. */
const NOT_FOR_THIS_TOKEN: ReadonlySet<number> = new Set([401, 403, 404]);

/**
 * One job's calls, each tried once. Throw CloudUnreachableError, CloudRefusedError, AuthError, the
 * signal's reason.
 */
export class JobApi {
  readonly #http: CloudHttp;
  readonly #claim: Claim;
  readonly #pool: AuthorizedHttp;
  /** Whose token was accepted; the claim's if both were. */
  #accepted: 'claim' | 'pool' | undefined;
  #withoutContentType = false;

  constructor(http: CloudHttp, claim: Claim, tokens: TokenSource) {
    this.#http = http;
    this.#claim = claim;
    this.#pool = new AuthorizedHttp(http, tokens, POOL);
  }

  /** Reads the job's definition. Also throws JobDefinitionError if it can't be run. */
  async definition(signal: AbortSignal): Promise<JobDefinition> {
    const { json } = await this.#call({
      method: 'GET',
      path: '',
      purpose: 'read the job definition',
      code: 'PRA-CLOUD-06',
      needsJson: true,
      signal,
    });

    return parseJobDefinition(json, this.#claim.jobId);
  }

  async stepStatus(index: number, status: StepStatus, signal: AbortSignal): Promise<void> {
    await this.#call({
      method: 'PATCH',
      path: `/${index}/status`,
      body: { status },
      purpose: `report step ${index} as ${status}`,
      code: 'PRA-CLOUD-08',
      follows: 'It is sent again.',
      signal,
    });
  }

  async logs(index: number, lines: LogLines, signal: AbortSignal): Promise<void> {
    const json = Buffer.concat([
      Buffer.from(`{"offset":${lines.offset},"lines":[`),
      lines.json,
      Buffer.from(']}'),
    ]);

    try {
      await this.#call({
        method: 'POST',
        path: `/${index}/logs`,
        json,
        withoutContentType: this.#withoutContentType,
        purpose: `send log lines of step ${index}`,
        code: 'PRA-CLOUD-09',
        follows: 'They are sent again.',
        signal,
      });
    } catch (error) {
      if (refusedStatus(error) !== 415 || this.#withoutContentType) throw error;
      this.#withoutContentType = true;
      await this.logs(index, lines, signal);
    }
  }

  /** Renews the lease. */
  async heartbeat(signal: AbortSignal): Promise<void> {
    await this.#call({
      method: 'POST',
      path: '/heartbeat',
      body: {},
      purpose: 'send a heartbeat',
      code: 'PRA-CLOUD-10',
      follows: `The job is stopped if none is accepted for ${span(FENCE_MS)}.`,
      signal,
    });
  }

  /**
   * Returns a 2xx answer; throws for any other. `call.path` is below the job's; `follows` is a sentence
   * on what follows from a refusal.
   */
  async #call({ follows, ...call }: AuthorizedCall & { readonly follows?: string }): Promise<CloudAnswer> {
    const answer = await this.#answer(call);
    if (answer.status < 300) return answer;
    throw refused(call, `job ${this.#claim.jobId}`, answer, follows);
  }

  /**
   * Repeats a call that gets a 401: with the same token once the claim's was accepted, as it is then
   * a stray one, else with the other. The claim's goes first, unless only the pool's has ever been
   * accepted (protocol section 1).
   */
  async #answer(call: AuthorizedCall): Promise<CloudAnswer> {
    const path = `/api/workflow/jobs/${encodeURIComponent(this.#claim.jobId)}${call.path}`;
    const tries = {
      claim: () => this.#http.once({ ...call, path, token: this.#claim.jobToken }),
      pool: () => this.#pool.inLoop({ ...call, path }),
    };

    const first = this.#accepted ?? 'claim';
    const answer = await tries[first]();

    if (answer.status < 300) this.#note(first);
    if (answer.status !== 401) return answer;

    const second = first === 'pool' || this.#accepted === 'claim' ? 'claim' : 'pool';
    const other = await tries[second]().catch(() => answer);
    call.signal.throwIfAborted();
    if (NOT_FOR_THIS_TOKEN.has(other.status)) return answer;

    this.#note(second);

    return other;
  }

  #note(accepted: 'claim' | 'pool'): void {
    if (this.#accepted !== 'claim') this.#accepted = accepted;
  }
}
