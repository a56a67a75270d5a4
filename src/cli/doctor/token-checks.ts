import {
  accessTokenSource,
  type Connection,
  connect,
  hasAccessToken,
  tokenSource,
} from '../../agent/connection.ts';
import { type AgentConfig, audienceOf } from '../../base/config/agent-config.ts';
import { organizationOf } from '../../base/config/stack-pattern.ts';
import type { Redactor } from '../../base/log/redactor.ts';
import { messageOf, OutcomeError } from '../../base/outcome.ts';
import { span } from '../../base/quantity.ts';
import { API_VERSION } from '../../cloud/attempt.ts';
import type { CloudHttp } from '../../cloud/http.ts';
import { idTokenClaims, readIdToken } from '../../cloud/id-token.ts';
import { OrganizationApi } from '../../cloud/organization-api.ts';
import { leastApiVersion } from '../../cloud/organization-wire.ts';
import { ANNOUNCE_PATH } from '../../cloud/pool-api.ts';
import { refusal } from '../../cloud/refusal.ts';
import type { TokenSource } from '../../cloud/token.ts';
import { OIDC_ISSUERS } from '../../cloud/token-exchange.ts';
import type { Checked, Examination, Finding } from './examination.ts';
import type { CheckSources } from './local-checks.ts';
import { ADVICE_DEADLINE_MS, poolCheck, stacksCheck } from './organization-checks.ts';

/** Time for one call; a run allows more, and retries. */
const CALL_MS = 15_000;

/**
 * Two calls, as the ID token can be exchanged twice, once for the pool's ID and once for its name.
 */
const EXCHANGE_MS = 2 * CALL_MS + 5_000;

/**
 * The meaning of a refusal's status for the token, and the remedy; other statuses say nothing about
 * the token.
 */
const MEANINGS: Readonly<Record<number, string>> = {
  401: 'Pulumi Cloud does not know the token. Copy it again from its pool, and check that the pool still exists.',
  402: "the organization's edition has no customer-managed runners. Ask for an edition that has them.",
  403: "the token can't do the work of a pool. Use the token of a runner pool (Settings → Organization → Workflow runner pools), not a personal, team or organization token; with an ID token, check the pool's policy.",
};

/** The end of a GitHub Enterprise Server's issuer, after `https://HOST`. */
const SERVER_ISSUER = '/_services/token';
const SERVER_ADVICE = `It is from a GitHub Enterprise Server: register exactly this iss in Pulumi Cloud (${OIDC_ISSUERS}), which must be able to read /.well-known/openid-configuration below it`;

interface Cloud {
  readonly connection: Connection;
  readonly tokens: TokenSource;
}

/**
 * Checks the credentials, and what Pulumi Cloud says to them; never asks for work. `reached` has a
 * value if Pulumi Cloud can be reached.
 */
export async function tokenChecks(
  examination: Examination,
  { config, settings, environment, redactor }: CheckSources,
  reached: Checked<unknown>,
): Promise<void> {
  const spec = { outcome: 'auth-error', deadlineMs: CALL_MS } as const;
  let connection: Connection | undefined;

  const open = (agentConfig: AgentConfig): Connection => {
    // No retries: the reader of the report is waiting.
    const limits = {
      requestRetryCount: 0,
      requestTimeoutMs: Math.min(agentConfig.requestTimeoutMs, CALL_MS),
    };
    connection ??= connect({ ...agentConfig, ...limits }, { environment, log: () => undefined, redactor });
    return connection;
  };

  const idToken = await examination.check(
    { ...spec, id: 'id-token', title: 'ID token' },
    [config],
    (_, agentConfig) => idTokenCheck(agentConfig, redactor),
  );

  const exchanged = await examination.check<Cloud, [typeof config, typeof idToken, typeof reached]>(
    { ...spec, id: 'token-exchange', title: 'Pool token', deadlineMs: EXCHANGE_MS },
    [config, idToken, reached],
    (signal, agentConfig) => {
      const opened = open(agentConfig);
      return exchange(
        { connection: opened, tokens: tokenSource(agentConfig, opened.http, redactor) },
        signal,
      );
    },
  );

  await examination.check({ ...spec, id: 'pool', title: 'Pool' }, [exchanged], askPool);

  await examination.check(
    { ...spec, id: 'api-version', title: 'API version' },
    [settings, reached],
    (signal, agentConfig) => versionCheck(open(agentConfig), signal),
  );

  // Other configurations use no access token.
  if (config.missing === undefined && hasAccessToken(config.value)) {
    const { accessToken, trigger } = config.value;
    // A configured access token lists the organization's pools even if the sign-in to the agent's pool failed.
    const signedIn: Checked<unknown> = accessToken === undefined ? exchanged : reached;

    const access = await examination.check<OrganizationApi, [typeof config, typeof signedIn]>(
      { ...spec, id: 'access-token', title: 'Access token', deadlineMs: EXCHANGE_MS },
      [config, signedIn],
      (signal, agentConfig) => {
        const { http } = open(agentConfig);
        return accessTokenCheck(agentConfig, http, accessTokenSource(agentConfig, http, redactor), signal);
      },
    );

    const checks = [
      ['pool-agents', 'Agents of the pool', poolCheck],
      ...(trigger.length > 0 ? ([['stacks', 'Stacks', stacksCheck]] as const) : []),
    ] as const;
    for (const [id, title, check] of checks)
      await examination.check(
        { ...spec, id, title, deadlineMs: ADVICE_DEADLINE_MS },
        [config, access],
        (signal, agentConfig, api) => check(agentConfig, api, signal),
      );
  }

  await connection?.close();
}

function idTokenCheck(config: AgentConfig, redactor: Redactor): Finding {
  const { oidcTokenFile: tokenFile } = config;
  const audience = audienceOf(config) ?? '';
  if (tokenFile === undefined) return { status: 'skipped', detail: 'a static pool token is configured' };

  const token = readIdToken('the pool', { tokenFile, onSecret: (secret) => redactor.add([secret]) });
  const advice = 'The CI job that starts the agent must write oidc_token_file and keep it current.';

  if (token.split('.').length !== 3) {
    const message = `Failed to read the ID token for the pool: ${tokenFile} does not hold a JWT. ${advice}`;
    throw new OutcomeError('auth-error', message, { code: 'PRA-AUTH-02' });
  }

  const { iss, aud, sub, exp } = idTokenClaims(token);
  const remainingMs = exp === undefined ? undefined : exp * 1000 - Date.now();
  const end =
    remainingMs === undefined
      ? 'no expiry'
      : remainingMs > 0
        ? `good for ${span(remainingMs)}`
        : `expired ${span(remainingMs)} ago`;
  const ofServer = iss.endsWith(SERVER_ISSUER) ? `. ${SERVER_ADVICE}` : '';
  const detail = `iss=${iss} aud=${aud} sub=${sub}, ${end}${ofServer}`;

  // Only a warning: Pulumi Cloud decides whether it is too old, by its own clock.
  if (remainingMs !== undefined && remainingMs <= 0)
    return { status: 'warning', detail: `${detail}. ${advice}` };
  if (aud.split(',').includes(audience)) return { status: 'passed', detail };

  return {
    status: 'warning',
    detail: `${detail}. Pulumi Cloud expects aud=${audience}: ask the CI for that.`,
  };
}

async function exchange(cloud: Cloud, signal: AbortSignal): Promise<Finding<Cloud>> {
  await cloud.tokens.get(signal);
  return { status: 'passed', detail: originOf(cloud.tokens), value: cloud };
}

/** Where a token comes from, as a clause. */
function originOf({ method, expiresAt }: TokenSource): string {
  if (method === 'token') return 'the configured one';
  const lifetime = expiresAt === undefined ? '' : `, good for ${span(Date.parse(expiresAt) - Date.now())}`;
  return `exchanged for the ID token${lifetime}`;
}

/**
 * Gets the access token, and shows it to Pulumi Cloud with a call that changes nothing. Starts no
 * deployment, so it can't tell whether the token may.
 */
async function accessTokenCheck(
  config: AgentConfig,
  http: CloudHttp,
  tokens: TokenSource,
  signal: AbortSignal,
): Promise<Finding<OrganizationApi>> {
  const value = new OrganizationApi(http, tokens);
  const { trigger } = config;
  const organization = trigger.map(organizationOf)[0] ?? config.organizationName;
  if (organization === undefined)
    return { status: 'skipped', detail: 'no organization_name is configured', value };

  try {
    if ((await value.load(organization, signal)) === undefined) {
      const detail = `${originOf(tokens)}; it doesn't open the organization ${organization}. Check that name, and the token's rights`;
      return { status: 'warning', detail, value };
    }
  } catch (error) {
    signal.throwIfAborted();
    // Only `trigger` makes a run fail without it.
    if (trigger.length > 0) throw error;
    return { status: 'warning', detail: messageOf(error), value };
  }
  return { status: 'passed', detail: `${originOf(tokens)}; Pulumi Cloud knows it`, value };
}

/** Compares the least version of its API that Pulumi Cloud answers with ours. */
async function versionCheck({ http }: Connection, signal: AbortSignal): Promise<Finding> {
  const call = { method: 'GET', path: '/api/capabilities', code: 'PRA-AUTH-06', signal } as const;
  const asking = http.once({ ...call, purpose: 'ask for the versions of the API' });
  const answer = await asking.catch((error: unknown) => {
    signal.throwIfAborted();
    return { json: undefined, error };
  });
  const least = leastApiVersion(answer.json);
  if (least === undefined) return { status: 'unknown', detail: 'the service does not say which it takes' };
  if (least <= API_VERSION) return { status: 'passed', detail: `${API_VERSION}, which the service takes` };
  const detail = `this program asks for ${API_VERSION}, and the service rejects versions before ${least}. Update this program.`;
  return { status: 'warning', detail };
}

/**
 * Makes the official agent's call before it polls (protocol section 2): harmless, but the endpoint
 * may not exist.
 */
async function askPool(signal: AbortSignal, { connection, tokens }: Cloud): Promise<Finding> {
  const call = { method: 'GET', path: ANNOUNCE_PATH, code: 'PRA-AUTH-06', signal } as const;
  const purpose = 'ask for the rights of the pool token';
  const answer = await connection.http.once({ ...call, purpose, token: await tokens.get(signal) });
  if (answer.status < 300)
    return { status: 'passed', detail: 'Pulumi Cloud recognizes it as the token of a runner pool' };

  const meaning = MEANINGS[answer.status];
  if (meaning === undefined) {
    const detail = `could not tell without a poll for work: ${refusal(answer)}. A run would find out.`;
    return { status: 'unknown', detail };
  }

  const message = `Failed to use the token for the pool: ${refusal(answer)}: ${meaning}`;
  throw new OutcomeError('auth-error', message, { code: 'PRA-AUTH-05' });
}
