import { randomBytes } from 'node:crypto';

/** What a token opens: a pool's calls, one claim's job, the section for users, which organizations' tokens open too, or nothing. */
export type TokenKind = 'pool' | 'job' | 'user' | 'organization' | 'none';

/** A token that was issued; its value is kept out of it so that it can be shown. */
export interface Token {
  /** A name fit to be shown, such as `pool-token-2`. */
  readonly id: string;
  readonly kind: Exclude<TokenKind, 'none'>;
  /** The pool of a pool token. */
  readonly poolId?: string;
  /** The job of a job token. */
  readonly jobId?: string;
  /** Milliseconds since the epoch; absent for a token that does not expire. */
  readonly expiresAt?: number;
}

/** Every token that was issued, by value. */
export class TokenStore {
  readonly #byValue = new Map<string, Token>();

  /** Issues a token and returns its value, which nothing else keeps. */
  issue(token: Omit<Token, 'id'>): string {
    const value = `pul-${randomBytes(20).toString('hex')}`;
    this.#byValue.set(value, { ...token, id: `${token.kind}-token-${this.#byValue.size + 1}` });
    return value;
  }

  find(value: string): Token | undefined {
    return this.#byValue.get(value);
  }

  /** Every value ever issued, for tests that look for leaks. */
  values(): string[] {
    return [...this.#byValue.keys()];
  }
}
