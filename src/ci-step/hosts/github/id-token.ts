import * as core from '@actions/core';
import type { Environment } from '../../../base/environment.ts';
import { messageOf, OutcomeError } from '../../../base/outcome.ts';
import { type Pace, retryTokenRequest } from '../id-token-request.ts';

const NO_PERMISSION =
  "Failed to get this job's ID token: the job isn't allowed to ask for one. Add `permissions: id-token: write` to it; " +
  'GitHub never grants it to pull requests from forks.';

/**
 * The CI job's ID token. Retries for a minute after a reset, a stall, a 429, a 5xx or an answer
 * without a token, such as a proxy's page: @actions/core sets no deadline, and its own retries, after
 * 502, 503 and 504 alone, take 10 s. It reads the process's own environment. Throws OutcomeError
 * `auth-error` if the job gets none, and the signal's reason when it aborts.
 */
export async function requestIdToken(
  audience: string,
  environment: Environment,
  signal: AbortSignal,
  pace: Pace = {},
): Promise<string> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken } = environment;
  if (!url || !requestToken) throw new OutcomeError('auth-error', NO_PERMISSION, { code: 'PRA-AUTH-01' });

  const attempt = async () => {
    const token: unknown = await core.getIDToken(audience);
    if (typeof token === 'string') return token;
    throw new Error('the answer holds no ID token');
  };

  const failure = (cause: unknown) => {
    const text = messageOf(cause).replace(/\s+/g, ' ').trim();
    return `Failed to get this job's ID token for ${audience}: ${text}. ${adviceOn(text)}`;
  };

  return await retryTokenRequest(attempt, (cause) => isTransient(messageOf(cause)), failure, signal, pace);
}

/**
 * Matches OpenSSL's messages for untrusted certificates: @actions/core passes on the message only.
 */
const CERTIFICATE = /certificate|altnames/i;

/**
 * Advice for a failure, by @actions/core's message; its proxy client's errors mention a tunneling
 * socket.
 */
function adviceOn(text: string): string {
  if (CERTIFICATE.test(text))
    return "Set the input ca-certificate to the certificate of the authority that signed GitHub's or the proxy's.";
  if (/tunneling socket/.test(text)) return 'Check the proxy that HTTPS_PROXY names, and what it allows.';
  return 'Run the job again; if it still fails, see githubstatus.com.';
}

/**
 * True if a retry can succeed. @actions/core's message contains the status; a reset or a stall has
 * none.
 */
function isTransient(message: string): boolean {
  const status = /Error Code : (\d+)/.exec(message)?.[1];
  if (status !== undefined) return status === '408' || status === '429' || status.startsWith('5');
  return !CERTIFICATE.test(message);
}
