import type { CloudAnswer, CloudCall } from './attempt.ts';
import { AuthError } from './errors.ts';
import type { CloudHttp } from './http.ts';
import { refusal } from './refusal.ts';

export interface TokenSource {
  readonly method: 'oidc' | 'token';
  /** When the token in use expires (RFC 3339), if known. */
  readonly expiresAt: string | undefined;

  /**
   * A currently valid token, other than `refused`, which got a 401. Throws AuthError or
   * CloudUnreachableError.
   */
  get(signal: AbortSignal, refused?: string): Promise<string>;
}

/**
 * The subject of calls and what to check if even a new token is refused, as parts of a sentence.
 */
interface Caller {
  readonly whom: string;
  readonly check: string;
  /** The message for a static token that Pulumi Cloud refuses. */
  readonly refused: string;
}

export const POOL: Caller = {
  whom: 'the pool',
  check: 'that the pool exists and that its policy still allows this job',
  refused:
    'Failed to authenticate for the pool: Pulumi Cloud refused the pool token (HTTP 401). Check that the token belongs to an existing pool and was not deleted.',
};

export const ORGANIZATION: Caller = {
  whom: 'the organization',
  check: 'that the policy of the issuer still allows this job',
  refused:
    'Failed to authenticate for the deployments: Pulumi Cloud refused access_token (HTTP 401). Check that it is the access token of an organization, a team or a user, and that it has not expired.',
};

/** A static token; a pool's unless the caller is another. */
export class StaticToken implements TokenSource {
  readonly method = 'token';
  readonly expiresAt = undefined;
  readonly #token: string;
  readonly #caller: Caller;

  constructor(token: string, caller = POOL) {
    this.#token = token;
    this.#caller = caller;
  }

  async get(_: AbortSignal, refused?: string): Promise<string> {
    if (refused !== undefined) throw new AuthError(this.#caller.refused, { code: 'PRA-AUTH-04' });
    return this.#token;
  }
}

/** How long a call that its caller will repeat waits for a token to replace a refused one. */
const SOON_MS = 5_000;

/** A call that gets its token here. */
export type AuthorizedCall = Omit<CloudCall, 'token'>;

/** Makes calls with a token: the first 401 gets a new token, a second one is final. */
export class AuthorizedHttp {
  readonly #http: CloudHttp;
  readonly #tokens: TokenSource;
  readonly #caller: Caller;

  constructor(http: CloudHttp, tokens: TokenSource, caller: Caller) {
    this.#http = http;
    this.#tokens = tokens;
    this.#caller = caller;
  }

  /** Like CloudHttp.call. Also throws AuthError if no token can be obtained or two are refused. */
  call(call: AuthorizedCall): Promise<CloudAnswer> {
    return this.#carried(call, 'call');
  }

  /** Like CloudHttp.once. Also throws AuthError if no token can be obtained or two are refused. */
  once(call: AuthorizedCall): Promise<CloudAnswer> {
    return this.#carried(call, 'once');
  }

  /**
   * Like CloudHttp.once, for a loop that tries again: it waits briefly for a token to replace a
   * refused one, and returns the 401 without. Throws AuthError only if there has been no token yet.
   */
  async inLoop(call: AuthorizedCall): Promise<CloudAnswer> {
    const token = await this.#tokens.get(call.signal);
    const answer = await this.#http.once({ ...call, token });
    if (answer.status !== 401) return answer;
    const soon = AbortSignal.any([call.signal, AbortSignal.timeout(SOON_MS)]);
    const renewed = await this.#tokens.get(soon, token).catch(() => undefined);
    call.signal.throwIfAborted();
    return renewed === undefined ? answer : await this.#http.once({ ...call, token: renewed });
  }

  async #carried(call: AuthorizedCall, how: 'call' | 'once'): Promise<CloudAnswer> {
    // Fetching a token claims nothing, so it may end with `noMoreTries`.
    const signal =
      call.noMoreTries === undefined ? call.signal : AbortSignal.any([call.signal, call.noMoreTries]);
    const token = await this.#tokens.get(signal);
    const answer = await this.#http[how]({ ...call, token });
    if (answer.status !== 401) return answer;

    const again = await this.#http[how]({ ...call, token: await this.#tokens.get(signal, token) });
    if (again.status !== 401) return again;

    const { whom, check } = this.#caller;
    throw new AuthError(`Failed to ${call.purpose} for ${whom}: ${refusal(again)}, twice. Check ${check}.`, {
      code: call.code,
    });
  }
}
