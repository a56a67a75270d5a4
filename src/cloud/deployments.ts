import { AuthorizedHttp } from './authorized-http.ts';
import { AuthError, CloudRefusedError } from './errors.ts';
import { SELDOM } from './exchange-answer.ts';
import type { CloudAnswer, CloudCall, CloudHttp } from './http.ts';
import { refusal } from './refusal.ts';
import type { TokenSource } from './token.ts';
import { type Claim, claimSchema, complaints } from './wire.ts';

/** What a poll brought. `retryAfterMs` supersedes the polling interval (protocol section 2). */
export interface PollResult {
  readonly claim?: Claim;
  readonly retryAfterMs?: number;
}

const POLL_REFUSALS: Record<number, string> = {
  402: 'Customer-managed runners need another edition of Pulumi Cloud, or the organization reached its limit.',
  403: 'Check that the pool belongs to the organization and that the token is a pool token.',
  404: 'Check the service URL, and that the pool still exists.',
};

/** The pool's calls: everything that the pool token may do. */
export class PoolApi {
  readonly #http: AuthorizedHttp;

  constructor(http: CloudHttp, tokens: TokenSource) {
    this.#http = new AuthorizedHttp(http, tokens, {
      whom: 'the pool',
      check: 'that the pool exists and that its policy still allows this job',
    });
  }

  /**
   * Asks for work once. A claim is exclusive and never comes again, so only poll when a job can start at once, and end a poll
   * by `noMoreTries`, which lets one in flight be answered, rather than by `signal`.
   * Throws AuthError when refused, CloudUnreachableError when no answer came, CloudRefusedError for anything else.
   */
  async poll(signal: AbortSignal, noMoreTries: AbortSignal): Promise<PollResult> {
    const answer = await this.#http.call({
      method: 'GET',
      path: '/api/deployments/poll',
      purpose: 'poll for work',
      signal,
      noMoreTries,
    });
    const wait = answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs };
    if (answer.status === 204) return wait;
    const refused = POLL_REFUSALS[answer.status];
    if (refused !== undefined)
      throw new AuthError(`Failed to poll for work for the pool: ${refusal(answer)}. ${refused}`);
    if (answer.status >= 300) {
      throw new CloudRefusedError(
        answer.status,
        `Failed to poll for work for the pool: ${refusal(answer)}. Check that the service URL is Pulumi Cloud's API.`,
        wait,
      );
    }
    if (answer.text.trim() === '' || answer.json === null) return wait;
    const claim = claimSchema.safeParse(answer.json, SELDOM);
    if (!claim.success) {
      const reason = answer.json === undefined ? 'not JSON' : complaints(claim.error);
      throw new CloudRefusedError(
        answer.status,
        `Failed to read the claim for the pool: ${reason}. If work was claimed, Pulumi Cloud fails it after 10 minutes without a heartbeat; start it again.`,
        wait,
      );
    }
    return { claim: claim.data, ...wait };
  }

  /** Tells Pulumi Cloud that the claim arrived. Body and answer aren't public, so both are best effort. */
  async acknowledge(claim: Claim, signal: AbortSignal): Promise<void> {
    await this.#http.call({
      method: 'POST',
      path: '/api/agent-workflows/deployment',
      purpose: 'acknowledge the claim',
      body: { jobID: claim.jobId, runID: claim.runId, typeSpecificID: claim.deploymentId },
      signal,
    });
  }

  /**
   * Reads how the deployment stands: Pulumi's word for it in lower case, undefined when the answer holds none. Throws
   * CloudUnreachableError, CloudRefusedError and AuthError.
   */
  async state(deploymentId: string, signal: AbortSignal): Promise<string | undefined> {
    const path = `/api/deployments/${encodeURIComponent(deploymentId)}/status`;
    return this.#state({ method: 'GET', path, purpose: "read the deployment's status", signal });
  }

  /** The same as the official agent asks it, for services that serve no status (protocol section 5). */
  async check(deploymentId: string, signal: AbortSignal): Promise<string | undefined> {
    const path = `/api/agent-workflows/deployment:${encodeURIComponent(deploymentId)}/check`;
    return this.#state({ method: 'POST', path, purpose: "read the deployment's status", body: {}, signal });
  }

  async #state(call: Omit<CloudCall, 'token'>): Promise<string | undefined> {
    const answer = await this.#http.once(call);
    if (answer.status < 300) return statusText(answer);
    const sentence = `Failed to ${call.purpose} for the pool: ${refusal(answer)}. The job goes on.`;
    throw new CloudRefusedError(answer.status, sentence, { retryAfterMs: answer.retryAfterMs });
  }

  /** What the official agent asks before it polls. Nothing depends on the answers, and nothing is ever leased. */
  async bootstrap(signal: AbortSignal): Promise<void> {
    const purpose = 'greet Pulumi Cloud';
    await this.#http.once({ method: 'GET', path: '/api/background-activities/token', purpose, signal });
    const path = '/api/background-activities/configuration';
    await this.#http.once({ method: 'POST', path, purpose, body: {}, signal });
  }
}

/** The status as a bare JSON string, or as `{status}`; lower case. */
function statusText({ json }: CloudAnswer): string | undefined {
  const status = typeof json === 'object' && json !== null ? (json as Record<string, unknown>)['status'] : json;
  return typeof status === 'string' ? status.toLowerCase() : undefined;
}
