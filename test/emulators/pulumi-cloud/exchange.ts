import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
  type LocalJWKSet,
  type RemoteJWKSet,
} from 'jose';
import { z } from 'zod';
import { type Answer, type Call, type Checked, jsonBody, type Route } from './call.ts';
import type { Pool } from './deployment.ts';
import type { CloudSettings } from './options.ts';
import type { DeploymentQueue } from './queue.ts';
import type { TokenStore } from './tokens.ts';
import { ProtocolViolation, Refusal } from './violations.ts';

const TOKEN_TYPE = 'urn:pulumi:token-type:access_token:';
/** Of tokens that asked for no lifetime. */
const LIFETIME_SECONDS = 2 * 3600;
const LONGEST_SECONDS = 25 * 3600;

/** What a line of an issuer's policies has besides whom it is for. */
interface AnyPolicy {
  readonly decision: 'allow';
  /** By claim: the value the ID token must have, `*` standing for any text. */
  readonly rules: Readonly<Record<string, string>>;
}

/** One line of an issuer's authorization policies. */
export type Policy = AnyPolicy &
  (
    | { readonly tokenType: 'runner'; readonly runnerID: string }
    | { readonly tokenType: 'organization'; readonly authorizedPermissions?: readonly 'admin'[] }
    | { readonly tokenType: 'team'; readonly teamName: string }
    | { readonly tokenType: 'personal'; readonly userLogin: string }
  );

/** An OIDC issuer as an organization registers it, with its keys in place or at an address. */
export type Issuer = { readonly issuer: string; readonly policies: readonly Policy[] } & (
  | { readonly jwksUrl: string }
  | { readonly jwks: JSONWebKeySet }
);

const requestSchema = (audience: string) =>
  z.strictObject({
    audience: z.literal(audience),
    grant_type: z.literal('urn:ietf:params:oauth:grant-type:token-exchange'),
    subject_token_type: z.literal('urn:ietf:params:oauth:token-type:id_token'),
    requested_token_type: z.templateLiteral([TOKEN_TYPE, z.enum(['runner', 'organization', 'team', 'personal'])]),
    scope: z.string().optional(),
    expiration: z.int().positive().optional(),
    subject_token: z.string().min(1),
  });
type ExchangeRequest = z.output<ReturnType<typeof requestSchema>>;

/** `POST /api/oauth/token`: an ID token of a registered issuer for an access token of a pool, the organization, a team or a user (RFC 8693). */
export class TokenExchange {
  readonly #options: CloudSettings;
  readonly #queue: DeploymentQueue;
  readonly #tokens: TokenStore;
  readonly #audience: string;
  readonly #issuers = new Map<string, { policies: readonly Policy[]; keys: LocalJWKSet | RemoteJWKSet }>();

  constructor(options: CloudSettings, queue: DeploymentQueue, tokens: TokenStore) {
    this.#options = options;
    this.#queue = queue;
    this.#tokens = tokens;
    this.#audience = `urn:pulumi:org:${options.organization}`;
  }

  /** Registers an issuer, or replaces it. */
  register(issuer: Issuer): void {
    const keys =
      'jwks' in issuer
        ? createLocalJWKSet(issuer.jwks)
        : createRemoteJWKSet(new URL(issuer.jwksUrl), { cooldownDuration: 0 });
    this.#issuers.set(issuer.issuer, { policies: issuer.policies, keys });
  }

  routes(): Route[] {
    const check = (call: Call) => this.#check(call);
    return [{ method: 'POST', path: '/api/oauth/token', token: 'none', check }];
  }

  #check(call: Call): Checked {
    const request = jsonBody(call, requestSchema(this.#audience));
    const { requested_token_type: type, scope = '' } = request;
    const wanted = type.slice(TOKEN_TYPE.length);
    if (!SCOPES[wanted]?.test(scope))
      throw new ProtocolViolation(400, `the body is not what the protocol shows: scope: none of a token for ${wanted}`);
    return { take: () => this.#exchange(request, wanted, scope) };
  }

  async #exchange(request: ExchangeRequest, wanted: string, scope: string): Promise<Answer> {
    const { requested_token_type: type, subject_token, expiration } = request;
    const pool = wanted === 'runner' ? this.#poolOf(scope) : undefined;
    const claims = await this.#verify(subject_token);
    this.#authorize(claims, wanted, pool?.id ?? scope);
    const lifetime = Math.min(expiration ?? LIFETIME_SECONDS, LONGEST_SECONDS);
    const access_token = this.#tokens.issue({
      ...(pool === undefined
        ? { kind: wanted === 'personal' ? 'user' : 'organization' }
        : { kind: 'pool', poolId: pool.id }),
      expiresAt: this.#options.clock() + lifetime * 1000,
    });
    const body = { access_token, issued_token_type: type, token_type: 'token', expires_in: lifetime, scope };
    return { status: 200, body };
  }

  #poolOf(scope: string): Pool {
    const name = scope.slice('runner:'.length);
    const key = this.#options.poolsByName ? 'name' : 'id';
    const pool = this.#queue.pools.find((each) => each[key] === name);
    if (pool === undefined) throw oauthRefusal(400, 'invalid_scope', `there is no runner '${name}'`);
    return pool;
  }

  async #verify(token: string): Promise<JWTPayload> {
    try {
      const issuer = this.#issuers.get(String(decodeJwt(token).iss));
      if (issuer === undefined) throw oauthRefusal(401, 'invalid_grant', 'the issuer is not registered');
      const { payload } = await jwtVerify(token, issuer.keys, {
        algorithms: ['RS256'],
        audience: this.#audience,
        currentDate: new Date(this.#options.clock()),
        requiredClaims: ['iss', 'sub', 'exp'],
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) throw oauthRefusal(401, 'invalid_grant', error.message);
      throw error;
    }
  }

  #authorize(claims: JWTPayload, type: string, whom: string): void {
    const policies = this.#issuers.get(String(claims.iss))?.policies ?? [];
    if (!policies.some((each) => each.tokenType === type && isFor(each, whom) && matches(each.rules, claims))) {
      const what = type === 'runner' ? `a runner token for pool ${whom}` : `a token of type ${type}`;
      throw new Refusal(403, `no policy allows ${what}`);
    }
  }
}

/** What the scope must be for each type of token, by Pulumi's reference. */
const SCOPES: Readonly<Record<string, RegExp>> = {
  runner: /^runner:./,
  organization: /^(?:admin)?$/,
  team: /^team:./,
  personal: /^user:./,
};

/** Whether a policy is for the pool's ID, or for the scope of any other token. */
function isFor(policy: Policy, whom: string): boolean {
  if (policy.tokenType === 'runner') return policy.runnerID === whom;
  if (policy.tokenType === 'team') return whom === `team:${policy.teamName}`;
  if (policy.tokenType === 'personal') return whom === `user:${policy.userLogin}`;
  return whom === '' || policy.authorizedPermissions?.includes('admin') === true;
}

function matches(rules: Policy['rules'], claims: JWTPayload): boolean {
  return Object.entries(rules).every(([claim, pattern]) => {
    const literal = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
    const glob = new RegExp(`^${literal.replaceAll('*', '.*')}$`, 's');
    return [claims[claim]].flat().some((value) => typeof value === 'string' && glob.test(value));
  });
}

function oauthRefusal(status: number, error: string, description: string): Refusal {
  return new Refusal(status, description, { error, error_description: description });
}
