import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Route } from './call.ts';
import { ProtocolViolation, Refusal } from './violations.ts';

/** The API's version that each program asks for. */
const ACCEPT = { agent: 'application/vnd.pulumi+8', cli: 'application/vnd.pulumi+9' };
const CLI = /^pulumi-cli\/1 \(\d+\.\d+\.\d+; linux(?:; [\w=. -]+)*\)$/;
const USER_AGENT = /^[\w.-]+\/[\w.+-]+ \([^()]+\)/;
const JSON_TYPE = 'application/json';

/** What a token opens: a pool's calls, one claim's job, the user calls (as an organization's does too), a running update, or nothing. */
export type TokenKind = 'pool' | 'job' | 'user' | 'organization' | 'update' | 'none';

/** An issued token, without its value so that it is safe to show. */
export interface Token {
  /** A name that is safe to show, such as `pool-token-2`. */
  readonly id: string;
  readonly kind: Exclude<TokenKind, 'none' | 'update'>;
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

/** The value of an update's token in an Authorization header; empty for any other header. Its update judges it. */
export function updateToken(headers: IncomingHttpHeaders): string {
  return /^update-token (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** Checks headers, returns their token. @throws ProtocolViolation; Refusal (401) for an unknown or expired token. */
export function guard(
  route: Pick<Route, 'token' | 'client'>,
  headers: IncomingHttpHeaders,
  bodyBytes: number,
  tokens: TokenStore,
  now: number,
  mayTryPool: (poolToken: Token) => boolean = () => false,
): Token | undefined {
  const accepted = (headers.accept ?? '').split(',').map((type) => type.split(';', 1).join().trim());
  const agent = headers['user-agent'] ?? '';
  const wanted = CLI.test(agent) ? ACCEPT.cli : ACCEPT.agent;
  if (!accepted.includes(wanted)) throw new ProtocolViolation(406, `the Accept header is not ${wanted}`);
  if (!USER_AGENT.test(agent)) {
    throw new ProtocolViolation(
      400,
      'the User-Agent header is not of the form name/version (platform; architecture)',
    );
  }
  if (route.client === 'cli' && wanted !== ACCEPT.cli)
    throw new ProtocolViolation(400, "only Pulumi's CLI makes this call");
  assertContentType(headers, bodyBytes);
  if (route.token === 'none') {
    // The CLI signs every call.
    if (headers.authorization !== undefined && wanted !== ACCEPT.cli)
      throw new ProtocolViolation(400, 'the call takes no Authorization header');
    return undefined;
  }
  if (route.token === 'update') {
    if (updateToken(headers) === '')
      throw new ProtocolViolation(401, 'the Authorization header is not of the form "update-token <value>"');
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
