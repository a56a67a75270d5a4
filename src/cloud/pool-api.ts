import { shapeOf } from '../base/json.ts';
import { kindText } from '../base/stack.ts';
import { CHECK_SERVICE, refused } from './attempt.ts';
import { AuthError, CloudUnreachableError, LostClaimError, UnreadableClaimError } from './errors.ts';
import type { CloudHttp } from './http.ts';
import { type Claim, claimSchema, complaints, statusIn } from './job-wire.ts';
import { refusal } from './refusal.ts';
import { AuthorizedHttp, POOL, type TokenSource } from './token.ts';
import { otherKindIn } from './work-kind.ts';

/**
 * Paths of the pool's calls for deployments. Other workflow types have others; a job's calls are
 * the same for all.
 */
export const DEPLOYMENT_PATHS = {
  poll: '/api/deployments/poll',
  acknowledge: '/api/agent-workflows/deployment',
  state: (id: string) => `/api/deployments/${encodeURIComponent(id)}/status`,
  check: (id: string) => `/api/agent-workflows/deployment:${encodeURIComponent(id)}/check`,
} as const;

/** The official agent's first call before it polls (protocol section 2). */
export const ANNOUNCE_PATH = '/api/background-activities/token';

/** The result of a poll. `retryAfterMs` supersedes the polling interval (protocol section 2). */
export interface PollResult {
  readonly claim?: Claim | undefined;
  readonly retryAfterMs?: number | undefined;
}

const POLL_REFUSALS: Record<number, string> = {
  402: 'Customer-managed runners need another edition of Pulumi Cloud, or the organization reached its limit.',
  403: 'Check that the pool belongs to the organization and that the token is a pool token.',
  404: 'Check the service URL, and that the pool still exists.',
};

const POLL_CODE = 'PRA-CLOUD-01';

/** What becomes of a deployment that was handed out and that no agent knows of (protocol section 2). */
const FATE = 'Pulumi Cloud fails the deployment after 10 minutes without a heartbeat; then start it again.';

/** Throws LostClaimError for a poll's lost answer, and `error` if it is about anything else. */
function lostClaim(error: unknown): never {
  // An exchange for the poll's token has another code.
  const isOfPoll = error instanceof CloudUnreachableError && error.code === POLL_CODE;
  if (!isOfPoll || !error.isAnswerLost) throw error;
  const { message, reason, status, retryAfterMs, wasSent } = error;
  throw new LostClaimError(
    `${message} A deployment may have been handed out with the lost answer. If so, ${FATE}`,
    { cause: error, code: 'PRA-CLOUD-12', wasSent, status, retryAfterMs, reason },
  );
}

/** Calls made with the pool's token. */
export class PoolApi {
  readonly #http: AuthorizedHttp;

  constructor(http: CloudHttp, tokens: TokenSource) {
    this.#http = new AuthorizedHttp(http, tokens, POOL);
  }

  /**
   * Asks for work once. A claim is exclusive and is never offered again, so poll only when a job
   * can start at once, and end a poll with `noMoreTries`, which lets a request in flight be
   * answered, rather than with `signal`. Throws AuthError if refused, CloudUnreachableError if no
   * answer arrives, LostClaimError if one was lost, UnreadableClaimError for one that may be a claim, CloudRefusedError otherwise.
   */
  async poll(signal: AbortSignal, noMoreTries: AbortSignal): Promise<PollResult> {
    const code = POLL_CODE;
    const { poll: path } = DEPLOYMENT_PATHS;
    const call = {
      method: 'GET',
      path,
      purpose: 'poll for work',
      code,
      refusesInJson: true,
      mayClaim: true,
    } as const;
    const answer = await this.#http.call({ ...call, signal, noMoreTries }).catch(lostClaim);
    const { status, retryAfterMs, text, json } = answer;
    const meaning = POLL_REFUSALS[status];
    if (meaning !== undefined)
      throw new AuthError(`Failed to poll for work for the pool: ${refusal(answer)}. ${meaning}`, { code });
    if (status >= 300) throw refused(call, 'the pool', answer, CHECK_SERVICE);

    if (status === 204 || text.trim() === '' || json === null) return { retryAfterMs };

    const claim = claimSchema.safeParse(json);
    if (claim.success) return { claim: claim.data, retryAfterMs };

    const kind = otherKindIn(json);
    const kindSentence =
      kind === undefined ? '' : ` It is work ${kindText(kind)}, which this version doesn't know.`;
    const reason = `${complaints(claim.error)}, in ${shapeOf(json)}`;
    const advice = `If it was a claim, ${FATE} Nothing more is claimed: update the runner, or correct what changes the answers on their way.`;
    throw new UnreadableClaimError(
      `Failed to read the claim for the pool: ${reason}.${kindSentence} ${advice}`,
      {
        status,
        code: 'PRA-CLOUD-03',
      },
    );
  }

  /** Acknowledges the claim. Neither body nor answer is documented, so both are best effort. */
  async acknowledge(claim: Claim, signal: AbortSignal): Promise<void> {
    const { acknowledge: path } = DEPLOYMENT_PATHS;
    const call = {
      method: 'POST',
      path,
      purpose: 'acknowledge the claim',
      code: 'PRA-CLOUD-04',
      signal,
    } as const;

    const body = { jobID: claim.jobId, runID: claim.runId, typeSpecificID: claim.deploymentId };

    await this.#http.call({ ...call, body });
  }

  /**
   * The deployment's status in lower case; undefined if the answer has none. Throws CloudCallError
   * and AuthError.
   */
  async state(deploymentId: string, signal: AbortSignal): Promise<string | undefined> {
    return this.#status({ method: 'GET', path: DEPLOYMENT_PATHS.state(deploymentId) }, signal);
  }

  /**
   * The same by the official agent's call, for services without the status endpoint (protocol
   * section 5).
   */
  async check(deploymentId: string, signal: AbortSignal): Promise<string | undefined> {
    return this.#status({ method: 'POST', path: DEPLOYMENT_PATHS.check(deploymentId), body: {} }, signal);
  }

  async #status(
    request: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: object },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const purpose = "read the deployment's status";
    const call = { ...request, purpose, code: 'PRA-CLOUD-05', signal } as const;
    const answer = await this.#http.inLoop(call);
    if (answer.status < 300) return statusIn(answer.json);
    throw refused(call, 'the pool', answer, 'The job continues.');
  }

  /** The official agent's calls before it polls. They lease nothing; nothing depends on them. */
  async announce(signal: AbortSignal): Promise<void> {
    const call = { purpose: 'announce the agent to Pulumi Cloud', code: 'PRA-CLOUD-02', signal } as const;
    await this.#http.once({ ...call, method: 'GET', path: ANNOUNCE_PATH });

    await this.#http.once({
      ...call,
      method: 'POST',
      path: '/api/background-activities/configuration',
      body: {},
    });
  }
}
