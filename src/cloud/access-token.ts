import { AuthError } from './errors.ts';
import { exchangeSchema, SELDOM } from './exchange-answer.ts';
import type { CloudAnswer, CloudHttp } from './http.ts';
import { type IdTokenFile, readIdToken } from './id-token.ts';
import { refusal } from './refusal.ts';
import { idTokenClaims, type TokenSource } from './token.ts';

export interface AccessTokenOptions extends IdTokenFile {
  readonly http: CloudHttp;
  readonly organization: string;
  /** `admin`, `team:<name>` or `user:<login>`; the organization's own token without admin rights when absent. */
  readonly scope?: string;
  /** Replaces the derived audience `urn:pulumi:org:<organization>`. */
  readonly audience?: string;
}

/** An access token as a user or an organization has it, given. */
export class GivenAccessToken implements TokenSource {
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
        'Failed to authenticate for the deployments: Pulumi Cloud refused access_token (HTTP 401). Check that it is the access token of an organization, a team or a user, and that it has not expired.',
      ),
    );
  }
}

/** Exchanges the CI job's ID token for an access token (RFC 8693): of the organization, a team or a user, by the scope. */
export class ExchangedAccessToken implements TokenSource {
  readonly method = 'oidc';
  readonly expiresAt = undefined;
  readonly #options: AccessTokenOptions;
  #token: Promise<string> | undefined;
  #value: string | undefined;

  constructor(options: AccessTokenOptions) {
    this.#options = options;
  }

  get(signal: AbortSignal): Promise<string> {
    this.#token ??= this.#exchanged(signal).catch((error: unknown) => {
      this.#token = undefined;
      throw error;
    });
    return this.#token;
  }

  renew(refused: string, signal: AbortSignal): Promise<string> {
    if (this.#value === refused) this.#token = undefined;
    return this.get(signal);
  }

  async #exchanged(signal: AbortSignal): Promise<string> {
    const { http, organization, scope, audience, onSecret } = this.#options;
    const whom = `an access token of ${organization}`;
    const idToken = readIdToken(whom, this.#options);
    const answer = await http.call({
      method: 'POST',
      path: '/api/oauth/token',
      purpose: 'exchange the ID token',
      needsJson: true,
      signal,
      body: {
        audience: audience ?? `urn:pulumi:org:${organization}`,
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        requested_token_type: `urn:pulumi:token-type:access_token:${tokenType(scope)}`,
        ...(scope === undefined ? {} : { scope }),
        subject_token: idToken,
      },
    });
    if (answer.status >= 300) throw this.#refused(answer, idToken, whom);
    const parsed = exchangeSchema.safeParse(answer.json, SELDOM);
    if (!parsed.success) {
      throw new AuthError(
        `Failed to exchange the ID token for ${whom}: the answer holds no access_token. Check that the service URL is Pulumi Cloud's API.`,
      );
    }
    this.#value = parsed.data.access_token;
    onSecret(this.#value);
    return this.#value;
  }

  #refused(answer: CloudAnswer, idToken: string, whom: string): AuthError {
    const { iss, aud, sub } = idTokenClaims(idToken);
    const type = tokenType(this.#options.scope);
    return new AuthError(
      `Failed to exchange the ID token for ${whom}: ${refusal(answer)}. The token says iss=${iss}, aud=${aud}, sub=${sub}. ` +
        `In Pulumi Cloud, register that issuer and add a policy {decision: allow, tokenType: ${type}, rules: {aud: ${aud}, sub: ${sub}}}, ` +
        'which tokens of organizations and teams need an edition for; or set access_token.',
    );
  }
}

/** Pulumi's type of token for a scope (its reference of the token exchange). */
function tokenType(scope: string | undefined): 'organization' | 'team' | 'personal' {
  if (scope?.startsWith('team:') === true) return 'team';
  return scope?.startsWith('user:') === true ? 'personal' : 'organization';
}
