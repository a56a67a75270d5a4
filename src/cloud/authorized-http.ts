import { AuthError } from './errors.ts';
import type { CloudAnswer, CloudCall, CloudHttp } from './http.ts';
import { refusal } from './refusal.ts';
import type { TokenSource } from './token.ts';

/** Whom calls are for, and what to check when even a new token is refused, as parts of a sentence. */
interface Caller {
  readonly whom: string;
  readonly check: string;
}

/** Calls that carry a token: a 401 buys one new token, a second one is final. */
export class AuthorizedHttp {
  readonly #http: CloudHttp;
  readonly #tokens: TokenSource;
  readonly #caller: Caller;

  constructor(http: CloudHttp, tokens: TokenSource, caller: Caller) {
    this.#http = http;
    this.#tokens = tokens;
    this.#caller = caller;
  }

  /** As CloudHttp.call. Throws AuthError too: when no token can be had, and when two are refused. */
  call(call: Omit<CloudCall, 'token'>): Promise<CloudAnswer> {
    return this.#carried(call, 'call');
  }

  /** As CloudHttp.once. Throws AuthError too: when no token can be had, and when two are refused. */
  once(call: Omit<CloudCall, 'token'>): Promise<CloudAnswer> {
    return this.#carried(call, 'once');
  }

  async #carried(call: Omit<CloudCall, 'token'>, how: 'call' | 'once'): Promise<CloudAnswer> {
    // A token claims nothing: waiting for one ends with the tries.
    const signal = call.noMoreTries === undefined ? call.signal : AbortSignal.any([call.signal, call.noMoreTries]);
    const token = await this.#tokens.get(signal);
    const answer = await this.#http[how]({ ...call, token });
    if (answer.status !== 401) return answer;
    const again = await this.#http[how]({ ...call, token: await this.#tokens.renew(token, signal) });
    if (again.status !== 401) return again;
    const { whom, check } = this.#caller;
    throw new AuthError(`Failed to ${call.purpose} for ${whom}: ${refusal(again)}, twice. Check ${check}.`);
  }
}
