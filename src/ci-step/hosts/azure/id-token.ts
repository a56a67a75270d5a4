import { z } from 'zod';
import type { Environment } from '../../../base/environment.ts';
import { readAtMost } from '../../../base/http-body.ts';
import { findRoute, openRoute } from '../../../base/network/route.ts';
import { clause, messageOf, OutcomeError } from '../../../base/outcome.ts';
import { VERSION } from '../../../base/version.ts';
import type { TokenRequest } from '../../host.ts';
import { ATTEMPT_MS, type Pace, retryTokenRequest } from '../id-token-request.ts';

/** Bytes of the longest answer that is read. */
const ANSWER_BYTES = 256 * 1024;

const NO_PERMISSION =
  "Failed to get this job's ID token: the step has no SYSTEM_ACCESSTOKEN. Map it in the pipeline: `env: SYSTEM_ACCESSTOKEN: $(System.AccessToken)`.";

const answerSchema = z.object({ oidcToken: z.string() });

/** An answer that a repetition does not change. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/**
 * The job's ID token, whose audience is always `api://AzureADTokenExchange` (Azure DevOps REST API
 * 7.1, "Oidctoken - Create"). Tries again for a minute after a reset, a stall, a 429 or a 5xx. Throws
 * OutcomeError `auth-error`, and the signal's reason when it aborts.
 */
export async function requestIdToken(
  { caCertificate }: TokenRequest,
  environment: Environment,
  signal: AbortSignal,
  pace: Pace = {},
): Promise<string> {
  const { SYSTEM_OIDCREQUESTURI: address = '', SYSTEM_ACCESSTOKEN: accessToken = '' } = environment;
  if (accessToken === '') throw new OutcomeError('auth-error', NO_PERMISSION, { code: 'PRA-AUTH-01' });

  const attempt = (inner: AbortSignal) =>
    request(address, accessToken, { caCertificate, environment }, inner);
  const failure = (cause: unknown) =>
    `Failed to get this job's ID token from Azure Pipelines: ${clause(messageOf(cause))}. Run the job again; if it still fails, check that the job's identity can create ID tokens.`;

  return await retryTokenRequest(attempt, (cause) => !(cause instanceof RefusedError), failure, signal, pace);
}

async function request(
  address: string,
  accessToken: string,
  trust: { readonly caCertificate: string | undefined; readonly environment: Environment },
  signal: AbortSignal,
) {
  const url = URL.parse(address);
  if (url === null) throw new RefusedError('SYSTEM_OIDCREQUESTURI has no address');
  url.searchParams.set('api-version', '7.1');

  const setting = 'SYSTEM_OIDCREQUESTURI';
  const route = findRoute({
    serviceUrl: url.origin,
    setting,
    connectTimeoutMs: ATTEMPT_MS,
    ...trust,
  });
  const dispatcher = openRoute(route);

  try {
    const { statusCode, body } = await dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: {
        authorization: `Bearer ${accessToken}`,
        'content-type': 'application/json',
        'user-agent': `pulumi-runner-agent/${VERSION}`,
        // A refusal is 401 then, and no redirect to the page for signing in, as in Azure's own SDKs.
        'x-tfs-fedauthredirect': 'Suppress',
      },
      body: '',
      signal,
    });
    const text = (await readAtMost(body, ANSWER_BYTES))?.toString('utf8') ?? '';

    if (statusCode === 429 || statusCode > 499) throw new Error(`HTTP ${statusCode}`);
    if (statusCode < 200 || statusCode > 299) throw new RefusedError(`HTTP ${statusCode}`);

    const token = tokenIn(text);
    // As of a proxy's page.
    if (token === undefined) throw new Error('the answer holds no ID token');
    return token;
  } finally {
    void dispatcher.destroy();
  }
}

function tokenIn(text: string): string | undefined {
  try {
    return answerSchema.parse(JSON.parse(text)).oidcToken;
  } catch {
    return undefined;
  }
}
