import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ProtocolViolation, Refusal } from './violations.ts';

const ACCEPT = 'application/vnd.pulumi+8';
const USER_AGENT = /^[\w.-]+\/[\w.+-]+ \([^()]+\)/;
const JSON_TYPE = 'application/json';

/** What a token opens: a pool's calls, one claim's job, the user calls (as an organization's does too), or nothing. */
export type TokenKind = 'pool' | 'job' | 'user' | 'organization' | 'none';

/** An issued token, without its value so that it is safe to show. */
export interface Token {
  /** A name that is safe to show, such as `pool-token-2`. */
  readonly id: string;
  readonly kind: Exclude<TokenKind, 'none'>;
  /** The pool of a pool token or of a claim's job token. */
  readonly poolId?: string;
  /** The job of a job token. */
  readonly jobId?: string;
  /** Milliseconds since the epoch; absent for a token that does not expire. */
  readonly expiresAt?: number;
}

/** Every issued token, by value. */
export class TokenStore {
  readonly #byValue = new Map<string, Token>();

  /** Issues a token and returns its value, which only this store keeps. */
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

/** The issued token in an Authorization header of scheme `token`; undefined for any other header or value. */
export function readToken(headers: IncomingHttpHeaders, tokens: TokenStore): Token | undefined {
  const value = /^token (\S+)$/.exec(headers.authorization ?? '')?.[1];
  return value === undefined ? undefined : tokens.find(value);
}

/** Checks headers, returns their token. @throws ProtocolViolation; Refusal (401) for an unknown or expired token. */
export function guard(
  route: { readonly token: TokenKind },
  headers: IncomingHttpHeaders,
  bodyBytes: number,
  tokens: TokenStore,
  now: number,
  mayTryPool: (poolToken: Token) => boolean = () => false,
): Token | undefined {
  const accepted = (headers.accept ?? '').split(',').map((type) => type.split(';', 1).join().trim());
  if (!accepted.includes(ACCEPT)) throw new ProtocolViolation(406, `the Accept header is not ${ACCEPT}`);
  if (!USER_AGENT.test(headers['user-agent'] ?? '')) {
    throw new ProtocolViolation(
      400,
      'the User-Agent header is not of the form name/version (platform; architecture)',
    );
  }
  assertContentType(headers, bodyBytes);
  if (route.token === 'none') {
    if (headers.authorization !== undefined)
      throw new ProtocolViolation(400, 'the call takes no Authorization header');
    return undefined;
  }
  if (!/^token \S+$/.test(headers.authorization ?? '')) {
    throw new ProtocolViolation(401, 'the Authorization header is not of the form "token <value>"');
  }
  const token = readToken(headers, tokens);
  if (token === undefined) throw new Refusal(401, 'Unauthorized: No credentials provided or are invalid.');
  const opens = token.kind === 'organization' ? 'user' : token.kind;
  if (opens === 'pool' && route.token === 'job' && mayTryPool(token))
    throw new Refusal(403, 'the call takes a job token');
  if (opens !== route.token)
    throw new ProtocolViolation(403, `the call takes a ${route.token} token, not a ${token.kind} token`);
  if (token.expiresAt !== undefined && now >= token.expiresAt) {
    throw new Refusal(401, 'Unauthorized: The access token has expired.');
  }
  return token;
}

/** The official runner sends no Content-Type at all, so a missing one counts as JSON. */
function assertContentType(headers: IncomingHttpHeaders, bodyBytes: number): void {
  const type = headers['content-type']?.split(';', 1).join().trim().toLowerCase();
  if (bodyBytes === 0 || type === undefined || type === JSON_TYPE) return;
  throw new ProtocolViolation(415, `the body's content type is ${type}`);
}
