import { AuthError } from './errors.ts';

/** Gives the token that calls carry. */
export interface TokenSource {
  readonly method: 'oidc' | 'token';
  /** RFC 3339, when the token in use is known to expire. */
  readonly expiresAt: string | undefined;
  /** A token that is good now. Throws AuthError or CloudUnreachableError. */
  get(signal: AbortSignal): Promise<string>;
  /** After a 401: another token than `refused`, or AuthError when there can't be one. */
  renew(refused: string, signal: AbortSignal): Promise<string>;
}

/** The token that is good now; with `refused`, which got a 401, another one. Throws what the source does. */
export function currentToken(tokens: TokenSource, signal: AbortSignal, refused?: string): Promise<string> {
  return refused === undefined ? tokens.get(signal) : tokens.renew(refused, signal);
}

/** A static token: a pool's, as shown once when it is created, unless `refused` is the sentence for the refusal of another. */
export class StaticToken implements TokenSource {
  readonly method = 'token';
  readonly expiresAt = undefined;
  readonly #token: string;
  readonly #refused: string;

  constructor(
    token: string,
    refused = 'Failed to authenticate for the pool: Pulumi Cloud refused the pool token (HTTP 401). Check that the token belongs to an existing pool and was not deleted.',
  ) {
    this.#token = token;
    this.#refused = refused;
  }

  get(): Promise<string> {
    return Promise.resolve(this.#token);
  }

  renew(): Promise<string> {
    return Promise.reject(new AuthError(this.#refused));
  }
}
