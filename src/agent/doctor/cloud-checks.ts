import { readFile } from 'node:fs/promises';
import type { CloudAnswer } from '../../cloud/http.ts';
import { idTokenClaims } from '../../cloud/id-token.ts';
import { refusal } from '../../cloud/refusal.ts';
import type { TokenSource } from '../../cloud/token.ts';
import type { AgentConfig } from '../../config/agent-config.ts';
import type { Redactor } from '../../log/redactor.ts';
import { OutcomeError } from '../../outcome.ts';
import type { Surroundings } from '../configuration.ts';
import { type Connection, connect } from '../connect.ts';
import { tokenSource } from '../token-source.ts';
import { type Checked, type Examination, type Finding, reasonOf } from './examination.ts';
import { span } from './quantities.ts';
import { ServerClock } from './server-clock.ts';

/** Milliseconds that one call may take at most; a run gives it longer, and tries again. */
const CALL_MS = 15_000;
/** The ID token may be tried twice, once for each name of the pool. */
const EXCHANGE_MS = 2 * CALL_MS + 5_000;
/** From here on a clock is worth a warning: ID tokens live 5 minutes. */
const SKEW_MS = 60_000;

interface CloudSources {
  readonly environment: Surroundings['environment'];
  readonly config: Checked<AgentConfig>;
  /** Passed when the way to Pulumi Cloud is open. */
  readonly reached: Checked<unknown>;
  readonly redactor: Redactor;
}

interface Cloud {
  readonly connection: Connection;
  readonly tokens: TokenSource;
}

/** The credentials, and what Pulumi Cloud says to them. It is never asked for work. */
export function cloudChecks(
  examination: Examination,
  { config, reached, environment, redactor }: CloudSources,
): { close(): Promise<void> } {
  const auth = { outcome: 'auth-error', deadlineMs: CALL_MS } as const;
  const clock = new ServerClock();
  let connection: Connection | undefined;
  const idToken = examination.check({ ...auth, id: 'id-token', title: 'ID token' }, [config], (_, known) =>
    readIdToken(known, redactor),
  );
  const exchanged = examination.check(
    { ...auth, id: 'token-exchange', title: 'Pool token', deadlineMs: EXCHANGE_MS },
    [config, idToken, reached],
    async (signal, known) => {
      clock.listenTo(known.serviceUrl);
      connection = connect(oneTry(known), { environment, log: () => undefined, redactor });
      const tokens = tokenSource(known, connection.http, redactor);
      return exchange({ connection, tokens }, signal);
    },
  );
  const pool = examination.check({ ...auth, id: 'pool', title: 'Pool' }, [exchanged], askPool);
  examination.check(
    { outcome: 'failed', id: 'clock', title: 'Clock', deadlineMs: EXCHANGE_MS + 2 * CALL_MS },
    [reached],
    async () => {
      // Any answer has the time, a refusal too.
      await Promise.all([exchanged.report, pool.report]);
      return compared(clock.skewMs);
    },
  );
  return {
    close: async () => {
      clock.close();
      await connection?.close();
    },
  };
}

/** Doctor asks once: whoever reads its report is waiting. */
function oneTry(config: AgentConfig): AgentConfig {
  return { ...config, requestRetryCount: 0, requestTimeoutMs: Math.min(config.requestTimeoutMs, CALL_MS) };
}

async function readIdToken(config: AgentConfig, redactor: Redactor): Promise<Finding<undefined>> {
  const { oidcTokenFile: file, organizationName = '', oidcAudience = `urn:pulumi:org:${organizationName}` } = config;
  const value = undefined;
  if (file === undefined) return { status: 'skipped', detail: 'a static pool token is configured', value };
  const keeper = 'Whoever starts the agent must write oidc_token_file and keep it fresh.';
  let token: string;
  try {
    token = (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    throw notUsable(`${missing ? `${file} does not exist` : reasonOf(cause)}. ${keeper}`, cause);
  }
  if (token === '') throw notUsable(`${file} is empty. ${keeper}`);
  redactor.add([token]);
  if (token.split('.').length !== 3) throw notUsable(`${file} does not hold a JWT. ${keeper}`);
  const { iss, aud, sub, exp } = idTokenClaims(token);
  const left = exp === undefined ? undefined : exp * 1000 - Date.now();
  const end = left === undefined ? 'no expiry' : left > 0 ? `good for ${span(left)}` : `expired ${span(left)} ago`;
  const detail = `iss=${iss} aud=${aud} sub=${sub}, ${end}`;
  // Whether it is really too old is for Pulumi Cloud to say, whose clock counts.
  if (left !== undefined && left <= 0) return { status: 'warning', detail: `${detail}. ${keeper}`, value };
  if (!aud.split(',').includes(oidcAudience)) {
    return {
      status: 'warning',
      detail: `${detail}. Pulumi Cloud expects aud=${oidcAudience}: ask the CI for that.`,
      value,
    };
  }
  return { status: 'passed', detail, value };
}

function notUsable(reason: string, cause?: unknown): OutcomeError {
  return new OutcomeError('auth-error', `Failed to read the ID token for the pool: ${reason}`, { cause });
}

async function exchange(cloud: Cloud, signal: AbortSignal): Promise<Finding<Cloud>> {
  await cloud.tokens.get(signal);
  const { method, expiresAt } = cloud.tokens;
  if (method === 'token') return { status: 'passed', detail: 'the configured one, as it is', value: cloud };
  const left = expiresAt === undefined ? '' : `, good for ${span(Date.parse(expiresAt) - Date.now())}`;
  return { status: 'passed', detail: `Pulumi Cloud gave one for the ID token${left}`, value: cloud };
}

/** What the official agent asks before it polls (protocol section 2): harmless, and no endpoint that must exist. */
async function askPool(signal: AbortSignal, { connection, tokens }: Cloud): Promise<Finding<undefined>> {
  const answer = await connection.http.once({
    method: 'GET',
    path: '/api/background-activities/token',
    purpose: 'ask what the pool token may do',
    token: await tokens.get(signal),
    signal,
  });
  if (answer.status < 300) {
    return { status: 'passed', detail: 'Pulumi Cloud knows the token as one of a runner pool', value: undefined };
  }
  const [reason, advice] = poolRefusal(answer, tokens.method);
  if (reason === undefined) return { status: 'unknown', detail: advice, value: undefined };
  throw new OutcomeError(
    'auth-error',
    `Failed to use the token for the pool: ${refusal(answer)}: ${reason}. ${advice}`,
  );
}

/** What a refusal means; no reason where it tells nothing about the token. */
function poolRefusal(answer: CloudAnswer, method: TokenSource['method']): [string | undefined, string] {
  switch (answer.status) {
    case 401:
      return [
        'Pulumi Cloud does not know the token',
        method === 'token'
          ? 'Copy it again from the pool it was made for, or make a new pool token: it may have been deleted with its pool.'
          : 'Check that the pool still exists.',
      ];
    case 403:
      return [
        'the token may not do the work of a pool',
        method === 'token'
          ? 'Use the token of a runner pool (Settings → Deployment runners): a personal, team or organization token is another kind.'
          : 'Check the pool and its policy.',
      ];
    case 402:
      return ["the organization's edition has no customer-managed runners", 'Ask for an edition that has them.'];
    default:
      return [undefined, `could not tell without asking for work: ${refusal(answer)}. A run would find out.`];
  }
}

function compared(skewMs: number | undefined): Finding<undefined> {
  const value = undefined;
  if (skewMs === undefined) return { status: 'unknown', detail: 'no answer told the time', value };
  if (Math.abs(skewMs) < SKEW_MS)
    return { status: 'passed', detail: `within ${span(SKEW_MS)} of Pulumi Cloud's`, value };
  const way = skewMs > 0 ? 'behind' : 'ahead of';
  const detail = `this machine's is ${span(skewMs)} ${way} Pulumi Cloud's, and ID tokens live for 5 minutes. Set it (chrony, systemd-timesyncd).`;
  return { status: 'warning', detail, value };
}
