import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify, type RemoteJWKSet } from 'jose';
import { z } from 'zod';
import { type Answer, jsonBody, type Route, routesFor } from './call.ts';
import type { CloudSettings } from './options.ts';
import type { DeploymentQueue } from './queue.ts';
import type { TokenStore } from './tokens.ts';
import { ProtocolViolation, Refusal } from './violations.ts';

const TOKEN_TYPE = 'urn:pulumi:token-type:access_token:';
/** For tokens requested without a lifetime. */
const LIFETIME_SECONDS = 2 * 3600;
const LONGEST_SECONDS = 25 * 3600;

/** One of an issuer's authorization policies. */
export type Policy = {
  readonly decision: 'allow';
  /** By claim: the value that the ID token must have; `*` matches any text. */
  readonly rules: Readonly<Record<string, string>>;
} & (
  | { readonly tokenType: 'runner'; readonly runnerID: string }
  | { readonly tokenType: 'organization'; readonly authorizedPermissions?: readonly 'admin'[] }
  | { readonly tokenType: 'team'; readonly teamName: string }
  | { readonly tokenType: 'personal'; readonly userLogin: string }
);

/** An OIDC issuer as an organization registers it. */
export interface Issuer {
  readonly issuer: string;
  readonly policies: readonly Policy[];
  /** Where its keys are. */
  readonly jwksUrl: string;
}

const requestSchema = (audience: string) =>
  z.strictObject({
    audience: z.literal(audience),
    grant_type: z.literal('urn:ietf:params:oauth:grant-type:token-exchange'),
    subject_token_type: z.literal('urn:ietf:params:oauth:token-type:id_token'),
    requested_token_type: z.templateLiteral([
      TOKEN_TYPE,
      z.enum(['runner', 'organization', 'team', 'personal']),
    ]),
    scope: z.string().optional(),
    expiration: z.int().positive().optional(),
    subject_token: z.string().min(1),
  });

/** A registered issuer: its policies and the keys that it signs with. */
export interface RegisteredIssuer {
  readonly policies: readonly Policy[];
  readonly keys: RemoteJWKSet;
}

export function registered({ policies, jwksUrl }: Issuer): RegisteredIssuer {
  return { policies, keys: createRemoteJWKSet(new URL(jwksUrl), { cooldownDuration: 0 }) };
}

/** `POST /api/oauth/token` (RFC 8693): exchanges an ID token for a pool, organization, team or user token. */
export function exchangeRoute(
  queue: DeploymentQueue,
  { organization, poolsByName, clock }: CloudSettings,
  tokens: TokenStore,
  issuers: ReadonlyMap<string, RegisteredIssuer>,
): Route {
  const audience = `urn:pulumi:org:${organization}`;
  const schema = requestSchema(audience);

  const exchange = async (
    request: z.output<typeof schema>,
    wanted: string,
    scope: string,
  ): Promise<Answer> => {
    const { requested_token_type: type, subject_token, expiration } = request;
    const name = scope.slice('runner:'.length);
    const pool = queue.pools.find((each) => each[poolsByName ? 'name' : 'id'] === name);
    const isRunner = wanted === 'runner';
    if (isRunner && pool === undefined)
      throw oauthRefusal(400, 'invalid_scope', `there is no runner '${name}'`);
    const issuer = issuers.get(issuerOf(subject_token));
    if (issuer === undefined) throw oauthRefusal(401, 'invalid_grant', 'the issuer is not registered');
    const options = {
      algorithms: ['RS256'],
      // The token's own audience is up to the rules of a policy.
      currentDate: new Date(clock()),
      requiredClaims: ['iss', 'sub', 'exp'],
    };
    const { payload } = await jwtVerify(subject_token, issuer.keys, options).catch(refuseToken);
    const whom = isRunner ? (pool?.id ?? '') : scope;
    const mayHave = (policy: Policy) =>
      policy.tokenType === wanted && isFor(policy, whom) && matches(policy.rules, payload);
    if (!issuer.policies.some(mayHave)) {
      const what = isRunner ? `a runner token for pool ${whom}` : `a token of type ${wanted}`;
      throw new Refusal(403, `no policy allows ${what}`);
    }
    const lifetime = Math.min(expiration ?? LIFETIME_SECONDS, LONGEST_SECONDS);
    const expiresAt = clock() + lifetime * 1000;
    const kind = wanted === 'personal' ? 'user' : 'organization';
    const access_token = tokens.issue(
      isRunner ? { kind: 'pool', poolId: whom, expiresAt } : { kind, expiresAt },
    );
    const body = { access_token, issued_token_type: type, token_type: 'token', expires_in: lifetime, scope };
    return { status: 200, body };
  };

  return routesFor('none')('POST', '/api/oauth/token', (call) => {
    const request = jsonBody(call, schema);
    const { requested_token_type: type, scope = '' } = request;
    const wanted = type.slice(TOKEN_TYPE.length);
    if (!SCOPES[wanted]?.test(scope)) {
      const found = `scope: none of a token for ${wanted}`;
      throw new ProtocolViolation(400, `the body is not what the protocol shows: ${found}`);
    }
    return () => exchange(request, wanted, scope);
  });
}

/** The scope that each type of token requires, according to Pulumi's reference. */
const SCOPES: Readonly<Record<string, RegExp>> = {
  runner: /^runner:./,
  organization: /^(?:admin)?$/,
  team: /^team:./,
  personal: /^user:./,
};

/** Whether a policy covers a runner token's pool ID, or any other token's scope. */
function isFor(policy: Policy, whom: string): boolean {
  if (policy.tokenType === 'runner') return policy.runnerID === whom;
  if (policy.tokenType === 'team') return whom === `team:${policy.teamName}`;
  if (policy.tokenType === 'personal') return whom === `user:${policy.userLogin}`;
  return whom === '' || policy.authorizedPermissions?.includes('admin') === true;
}

/** Whether the claims of an ID token fulfil every rule of a policy. */
export function matches(rules: Policy['rules'], claims: JWTPayload): boolean {
  return Object.entries(rules).every(([claim, pattern]) => {
    const literal = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
    const glob = new RegExp(`^${literal.replaceAll('*', '.*')}$`, 's');
    return [claims[claim]].flat().some((value) => typeof value === 'string' && glob.test(value));
  });
}

/** @throws Refusal for text that is not a token. */
function issuerOf(token: string): string {
  try {
    return String(decodeJwt(token).iss);
  } catch (error) {
    return refuseToken(error);
  }
}

function refuseToken(error: unknown): never {
  if (error instanceof errors.JOSEError) throw oauthRefusal(401, 'invalid_grant', error.message);
  throw error;
}

function oauthRefusal(status: number, error: string, description: string): Refusal {
  return new Refusal(status, description, { error, error_description: description });
}
