import { AuthError } from './errors.ts';
import { exchangeSchema, SELDOM } from './exchange-answer.ts';
import type { CloudAnswer, CloudHttp } from './http.ts';
import { type IdTokenFile, readIdToken } from './id-token.ts';
import { refusal } from './refusal.ts';

/** Gives the pool token that calls carry. */
export interface TokenSource {
  readonly method: 'oidc' | 'token';
  /** RFC 3339, when the token in use is known to expire. */
  readonly expiresAt: string | undefined;
  /** A token that is good now. Throws AuthError or CloudUnreachableError. */
  get(signal: AbortSignal): Promise<string>;
  /** After a 401: another token than `refused`, or AuthError when there can't be one. */
  renew(refused: string, signal: AbortSignal): Promise<string>;
}

/** A static pool token, as shown once when a pool is created. */
export class StaticToken implements TokenSource {
  readonly method = 'token';
  readonly expiresAt = undefined;
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  get(): Promise<string> {
    return Promise.resolve(this.#token);
  }

  renew(): Promise<string> {
    return Promise.reject(
      new AuthError(
        'Failed to authenticate for the pool: Pulumi Cloud refused the pool token (HTTP 401). Check that the token belongs to an existing pool and was not deleted.',
      ),
    );
  }
}

export interface OidcTokenOptions extends IdTokenFile {
  readonly http: CloudHttp;
  readonly organization: string;
  readonly poolId: string;
  readonly poolName?: string;
  /** Replaces the derived scope. */
  readonly scope?: string;
  /** Replaces the derived audience `urn:pulumi:org:<organization>`. */
  readonly audience?: string;
  readonly expirationSeconds?: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Seconds that a pool token lives when Pulumi Cloud doesn't say (protocol section 1). */
const DEFAULT_LIFETIME_SECONDS = 7200;

/** Milliseconds from a failed renewal to the next, while the token in use is still good. */
const RENEWAL_RETRY_MS = 60_000;

/** Exchanges the CI job's ID token for a pool token (RFC 8693), again before it expires. The token lives in memory only. */
export class OidcToken implements TokenSource {
  readonly method = 'oidc';
  readonly #options: OidcTokenOptions;
  #token: { value: string; renewAt: number; expiresAt: number } | undefined;
  #exchange: { readonly done: Promise<string>; readonly signal: AbortSignal } | undefined;

  constructor(options: OidcTokenOptions) {
    this.#options = options;
  }

  get expiresAt(): string | undefined {
    return this.#token === undefined ? undefined : new Date(this.#token.expiresAt).toISOString();
  }

  async get(signal: AbortSignal): Promise<string> {
    const { now } = this.#options;
    const held = this.#token;
    if (held !== undefined && now() < held.renewAt) return held.value;
    this.#exchange ??= {
      signal,
      done: this.#exchanged(signal).finally(() => {
        this.#exchange = undefined;
      }),
    };
    const exchange = this.#exchange;
    try {
      return await exchange.done;
    } catch (error) {
      // It was ended by whoever began it, and this caller only waited along.
      if (exchange.signal.aborted && !signal.aborted) return this.get(signal);
      if (signal.aborted || held === undefined || held !== this.#token || now() >= held.expiresAt) throw error;
      held.renewAt = Math.min(now() + RENEWAL_RETRY_MS, held.expiresAt);
      return held.value;
    }
  }

  renew(refused: string, signal: AbortSignal): Promise<string> {
    if (this.#token?.value === refused) this.#token = undefined;
    return this.get(signal);
  }

  async #exchanged(signal: AbortSignal): Promise<string> {
    const { poolId, poolName, scope, now, onSecret } = this.#options;
    const idToken = readIdToken(`pool ${poolId}`, this.#options);
    // The documents name the runner, the official agent knows only its ID: send the ID, then the name if there is one.
    const scopes =
      scope !== undefined
        ? [scope]
        : [poolId, poolName].filter((pool) => pool !== undefined).map((pool) => `runner:${pool}`);
    const answers: CloudAnswer[] = [];
    for (const candidate of scopes) {
      const answered = await this.#ask(candidate, idToken, signal);
      answers.push(answered);
      if (![400, 401, 403].includes(answered.status)) break;
    }
    const answer = answers.at(-1);
    if (answer === undefined || answer.status >= 300) throw this.#refused(answers, idToken);
    const parsed = exchangeSchema.safeParse(answer.json, SELDOM);
    if (!parsed.success) {
      throw new AuthError(
        `Failed to exchange the ID token for pool ${poolId}: the answer holds no access_token. Check that the service URL is Pulumi Cloud's API.`,
      );
    }
    const value = parsed.data.access_token;
    onSecret(value);
    const lifetime = (parsed.data.expires_in ?? DEFAULT_LIFETIME_SECONDS) * 1000;
    // A tenth of the lifetime ahead, a minute at least where the lifetime allows it.
    const ahead = Math.min(lifetime / 2, Math.max(60_000, lifetime / 10));
    this.#token = { value, renewAt: now() + lifetime - ahead, expiresAt: now() + lifetime };
    return value;
  }

  #ask(scope: string, idToken: string, signal: AbortSignal): Promise<CloudAnswer> {
    const { http, organization, audience, expirationSeconds } = this.#options;
    return http.call({
      method: 'POST',
      path: '/api/oauth/token',
      purpose: 'exchange the ID token',
      needsJson: true,
      signal,
      body: {
        audience: audience ?? `urn:pulumi:org:${organization}`,
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        requested_token_type: 'urn:pulumi:token-type:access_token:runner',
        scope,
        ...(expirationSeconds === undefined ? {} : { expiration: expirationSeconds }),
        subject_token: idToken,
      },
    });
  }

  #refused(answers: readonly CloudAnswer[], idToken: string): AuthError {
    const { organization, poolId, now } = this.#options;
    const claims = idTokenClaims(idToken);
    // The ID's refusal is the telling one where the name isn't known at all.
    const said = [...new Set(answers.map(refusal))].join(', then by its name ');
    const stale =
      claims.exp !== undefined && claims.exp * 1000 < now()
        ? ' The ID token has expired: whoever writes oidc_token_file must refresh it.'
        : '';
    return new AuthError(
      `Failed to exchange the ID token for pool ${poolId} of ${organization}: ${said}.${stale} ` +
        `The token says iss=${claims.iss}, aud=${claims.aud}, sub=${claims.sub}. In Pulumi Cloud, register that issuer and add a policy ` +
        `{decision: allow, tokenType: runner, runnerID: ${poolId}, rules: {aud: ${claims.aud}, sub: ${claims.sub}}}; ` +
        'tokens for runners need an edition with customer-managed workflow runners.',
    );
  }
}

/** The claims that a policy decides on, read without verifying; never the token itself. */
export function idTokenClaims(token: string): { iss: string; aud: string; sub: string; exp: number | undefined } {
  let claims: Record<string, unknown> = {};
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    if (typeof payload === 'object' && payload !== null) claims = payload as Record<string, unknown>;
  } catch {
    // Not a JWT: the three claims are unknown, and the refusal says so.
  }
  const said = (name: string): string => {
    const value = claims[name];
    const shown = Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : '(not in the token)';
    return shown.replace(/\s+/g, ' ').slice(0, 300);
  };
  const exp = claims['exp'];
  return { iss: said('iss'), aud: said('aud'), sub: said('sub'), exp: typeof exp === 'number' ? exp : undefined };
}
