import { z } from 'zod';
import { elapsedSince, type Moment, momentOf, NEVER, settledBefore, type TimeSource } from '../base/clock.ts';
import { CHECK_SERVICE, type CloudAnswer } from './attempt.ts';
import { AuthError } from './errors.ts';
import type { CloudHttp } from './http.ts';
import { idTokenClaims, readIdToken } from './id-token.ts';
import { refusal } from './refusal.ts';
import type { TokenSource } from './token.ts';

/** The answer to a token exchange. `token_type` varies and says nothing. */
export const exchangeSchema = z.object({
  access_token: z.string().min(1),
  /** Seconds; the cap is 25 hours (protocol section 1), so decades are a mistake. */
  expires_in: z.coerce.number().positive().max(1e9).optional().catch(undefined),
});

export interface ExchangeOptions {
  readonly http: CloudHttp;
  /** Contains the CI job's ID token; the CI job keeps it fresh. */
  readonly tokenFile: string;
  /** Called with every token, read, issued or still in use, to keep it out of the logs. */
  readonly onSecret: (secret: string) => void;
  readonly organization: string;
  readonly audience: string;
  readonly clock: TimeSource;
}

/** Where Pulumi's console manages issuers and their policies. */
export const OIDC_ISSUERS = 'Settings → Access Management → OIDC Issuers';

/** The token to exchange the ID token for. */
interface TokenRequest {
  /** Its subject, for messages. */
  readonly whom: string;
  readonly type: 'runner' | 'organization' | 'team' | 'personal';
  /**
   * The scope to request, then alternatives to try if it is refused; empty for the type's default.
   */
  readonly scopes: readonly string[];
  readonly expirationSeconds?: number | undefined;
  /** The fields that the policy must have besides decision, token type and rules. */
  readonly policy?: string | undefined;
  /** Names the missing policy in the message. */
  readonly which: string;
  /** The end of that sentence. */
  readonly advice: string;
}

/**
 * Subjects that the jobs of any branch can have: GitHub's of pull requests, Azure Pipelines', CircleCI's
 * and Bitbucket's. A policy for one would give the pool to every branch that is pushed.
 */
const ANY_BRANCH = /^repo:.+:pull_request$|^p:\/\/|^org\/[^/]+\/project\/|^\{[^}]*\}:/;

/** GitHub's subject of a job with an environment, which a workflow on any branch can name. */
const ENVIRONMENT = /^repo:.+:environment:./;

/** True for an answer that another scope, or a fresh ID token, can change. */
function isRefusal({ status }: CloudAnswer): boolean {
  return status === 400 || status === 401 || status === 403;
}

/** A token's lifetime in seconds if Pulumi Cloud doesn't state one (protocol section 1). */
const DEFAULT_LIFETIME_SECONDS = 7200;

/** From one renewal to the next, while the token in use is still valid. */
const RENEWAL_RETRY_MS = 60_000;

interface TokenInUse {
  readonly value: string;
  readonly since: Moment;
  readonly lifetimeMs: number;
  readonly renewAfterMs: number;
  /** Earliest time of the next renewal that no refusal demands, by the steady clock. */
  nextTry: number;
}

/**
 * Exchanges the CI job's ID token (RFC 8693), again before the result expires. Keeps the token in
 * memory only.
 */
class ExchangedToken implements TokenSource {
  readonly method = 'oidc';
  readonly #options: ExchangeOptions;
  readonly #request: TokenRequest;
  #token: TokenInUse | undefined;
  /** Shared by all waiters; no waiter's signal aborts it, it ends with its own retries. */
  #exchange: Promise<string> | undefined;

  constructor(options: ExchangeOptions, request: TokenRequest) {
    this.#options = options;
    this.#request = request;
  }

  get expiresAt(): string | undefined {
    const token = this.#token;
    return token === undefined ? undefined : new Date(token.since.now + token.lifetimeMs).toISOString();
  }

  async get(signal: AbortSignal, refused?: string): Promise<string> {
    const { clock } = this.#options;
    const token = this.#token;

    if (token !== undefined && token.value !== refused) {
      const { atLeast, atMost } = elapsedSince(token.since, clock);

      // Tokens age while the machine is suspended too; an extra exchange because the clock was set
      // does no harm.
      const isDue = atMost >= token.renewAfterMs && clock.steady() >= token.nextTry;

      if (isDue && this.#exchange === undefined) {
        token.nextTry = clock.steady() + RENEWAL_RETRY_MS;
        // Beside the token in use: a failure matters only once that has expired.
        this.#renewal().catch(() => undefined);
      }

      if (atLeast < token.lifetimeMs) return token.value;
    }

    signal.throwIfAborted();

    return await settledBefore(this.#renewal(), signal);
  }

  #renewal(): Promise<string> {
    this.#exchange ??= this.#exchanged().finally(() => {
      this.#exchange = undefined;
    });
    return this.#exchange;
  }

  async #exchanged(): Promise<string> {
    const { clock, onSecret } = this.#options;
    const { whom } = this.#request;

    // The redactor keeps only recent secrets: the token in use must not be displaced by ID tokens
    // read for its renewal.
    if (this.#token !== undefined) onSecret(this.#token.value);

    let idToken = readIdToken(whom, this.#options);
    let answers = await this.#answers(idToken);

    if (answers.every(isRefusal)) {
      // Retries can outlast an ID token, whose writer has put a fresh one into the file since.
      const fresh = this.#freshIdToken(idToken);
      if (fresh !== idToken) answers = await this.#answers(fresh);
      idToken = fresh;
    }

    const answer = answers.at(-1);
    if (answer === undefined || answer.status >= 300) throw this.#refused(answers, idToken);

    const parsed = exchangeSchema.safeParse(answer.json);
    if (!parsed.success) {
      const sentence = `Failed to exchange the ID token for ${whom}: the answer holds no access_token. ${CHECK_SERVICE}`;
      throw new AuthError(sentence, { code: 'PRA-AUTH-03' });
    }

    const value = parsed.data.access_token;
    onSecret(value);

    const lifetimeMs = (parsed.data.expires_in ?? DEFAULT_LIFETIME_SECONDS) * 1000;

    // A tenth of the lifetime ahead, and at least a minute if the lifetime allows.
    const ahead = Math.min(lifetimeMs / 2, Math.max(60_000, lifetimeMs / 10));

    this.#token = { value, since: momentOf(clock), lifetimeMs, renewAfterMs: lifetimeMs - ahead, nextTry: 0 };

    return value;
  }

  /** The ID token in the file by now; `last` if it can't be read, as the refusal says more. */
  #freshIdToken(last: string): string {
    try {
      return readIdToken(this.#request.whom, this.#options);
    } catch {
      return last;
    }
  }

  /** The answers by scope, up to the first that isn't a refusal. */
  async #answers(idToken: string): Promise<CloudAnswer[]> {
    const { scopes } = this.#request;
    const answers: CloudAnswer[] = [];

    for (const scope of scopes.length === 0 ? [undefined] : scopes) {
      const answer = await this.#ask(scope, idToken);
      answers.push(answer);
      if (!isRefusal(answer)) break;
    }

    return answers;
  }

  #ask(scope: string | undefined, idToken: string): Promise<CloudAnswer> {
    const { http, audience } = this.#options;
    const { type, expirationSeconds } = this.#request;

    return http.call({
      method: 'POST',
      path: '/api/oauth/token',
      purpose: 'exchange the ID token',
      code: 'PRA-AUTH-03',
      needsJson: true,
      refusesInJson: true,
      signal: NEVER,
      body: {
        audience,
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        requested_token_type: `urn:pulumi:token-type:access_token:${type}`,
        scope,
        expiration: expirationSeconds,
        subject_token: idToken,
      },
    });
  }

  #refused(answers: readonly CloudAnswer[], idToken: string): AuthError {
    const { whom, type, policy, which, advice } = this.#request;
    const { iss, aud, sub, workflow, exp } = idTokenClaims(idToken);

    // All refusals are shown: if a later scope is unknown, the first one explains more.
    const refusals = [...new Set(answers.map(refusal))].join(', then by its name ');

    const stale =
      exp !== undefined && exp * 1000 < this.#options.clock.now()
        ? ' The ID token has expired: the program that writes oidc_token_file must refresh it.'
        : '';

    const isOpen = ANY_BRANCH.test(sub);
    const rules = isOpen ? 'rules: {…}' : `rules: {aud: ${aud}, sub: ${sub}}`;
    const fields = [`tokenType: ${type}`, policy ?? [], rules].flat();
    const caution = isOpen
      ? ', with rules that only reviewed jobs fulfil: a rule for this sub alone lets every branch in'
      : ENVIRONMENT.test(sub)
        ? ', and allow only a protected branch to deploy to that environment: otherwise this sub lets every branch in'
        : '';
    const claims = [`iss=${iss}`, `aud=${aud}`, `sub=${sub}`];
    if (workflow !== undefined) claims.push(`job_workflow_ref=${workflow}`);

    return new AuthError(
      `Failed to exchange the ID token for ${whom}: ${refusals}.${stale} The token says ${claims.join(', ')}. ` +
        `In Pulumi Cloud, under ${OIDC_ISSUERS}, register that issuer and add ${which} {decision: allow, ${fields.join(', ')}}, without another policy that denies it${caution}${advice}`,
      { code: 'PRA-AUTH-03' },
    );
  }
}

export interface OidcTokenOptions extends ExchangeOptions {
  readonly poolId: string;
  readonly poolName?: string | undefined;
  /** Replaces the derived scope. */
  readonly scope?: string | undefined;
  readonly expirationSeconds?: number | undefined;
}

/** The pool's token, obtained with the CI job's ID token. */
export class OidcToken extends ExchangedToken {
  constructor(options: OidcTokenOptions) {
    const { organization, poolId, poolName, scope, expirationSeconds } = options;

    // The documentation uses the runner's name, the official agent its ID: try the ID, then the
    // name if there is one.
    const pools = [poolId, poolName].filter((pool) => pool !== undefined);

    super(options, {
      whom: `pool ${poolId} of ${organization}`,
      type: 'runner',
      scopes: scope === undefined ? pools.map((pool) => `runner:${pool}`) : [scope],
      expirationSeconds,
      policy: `runnerID: ${poolId}`,
      which: 'a policy',
      advice: '; tokens for runners need an edition with customer-managed workflow runners.',
    });
  }
}

/**
 * An access token obtained with the CI job's ID token, by scope: `admin`, `team:<name>` or
 * `user:<login>`; the organization's own token without admin rights when absent.
 */
export class ExchangedAccessToken extends ExchangedToken {
  constructor(options: ExchangeOptions & { readonly scope?: string | undefined }) {
    const { organization, scope } = options;
    super(options, {
      whom: `an access token of ${organization}`,
      ...requestOf(scope),
      scopes: scope === undefined ? [] : [scope],
      which: "a second policy beside the pool's:",
      advice: '; or set access_token. Tokens of organizations and teams need an edition that has them.',
    });
  }
}

/**
 * The token type for a scope, and what its policy must name (Pulumi's token exchange reference).
 */
function requestOf(scope = ''): Pick<TokenRequest, 'type' | 'policy'> {
  const [kind, name] = scope.split(':', 2);
  if (kind === 'team') return { type: 'team', policy: `teamName: ${name}` };
  if (kind === 'user') return { type: 'personal', policy: `userLogin: ${name}` };
  return { type: 'organization', policy: kind === 'admin' ? 'authorizedPermissions: [admin]' : undefined };
}
