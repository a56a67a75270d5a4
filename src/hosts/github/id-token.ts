import { setTimeout as delay } from 'node:timers/promises';
import * as core from '@actions/core';
import { settledBefore } from '../../clock.ts';
import { OutcomeError } from '../../outcome.ts';

/** Attempts for one token: @actions/core itself retries 502, 503 and 504, but neither a reset nor another 5xx. */
const ATTEMPTS = 4;
/** Milliseconds; doubled after each attempt. */
const FIRST_PAUSE_MS = 500;
/** Milliseconds. @actions/core sets no deadline, and its own retries take 10 s. */
const ATTEMPT_DEADLINE_MS = 20_000;

const NO_PERMISSION =
  "Failed to get this job's ID token: the job may not ask for one. Add `permissions: id-token: write` to the workflow " +
  'or the job; GitHub never grants it to pull requests from forks.';

/**
 * The CI job's ID token, masked in the console. Retries after a reset, a stall, a 429 or a 5xx. @actions/core reads the
 * process's own environment. Throws OutcomeError `auth-error` if the job gets none, and the signal's reason when it
 * aborts.
 */
export async function requestIdToken(
  audience: string,
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
  firstPauseMs = FIRST_PAUSE_MS,
): Promise<string> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken } = environment;
  if (!url || !requestToken) throw new OutcomeError('auth-error', NO_PERMISSION, { code: 'PRA-AUTH-01' });
  for (let attempt = 1; ; attempt++) {
    const deadline = AbortSignal.timeout(ATTEMPT_DEADLINE_MS);
    try {
      return await settledBefore(core.getIDToken(audience), AbortSignal.any([signal, deadline]));
    } catch (cause) {
      signal.throwIfAborted();
      const reason = cause instanceof Error ? cause.message.replace(/\s+/g, ' ').trim() : String(cause);
      const text = deadline.aborted ? `no answer within ${ATTEMPT_DEADLINE_MS / 1000} s` : reason;
      if (attempt === ATTEMPTS || !isPassing(text)) {
        const sentence = `Failed to get this job's ID token for ${audience}: ${text}. ${adviceOn(text)}`;
        throw new OutcomeError('auth-error', sentence, { code: 'PRA-AUTH-01', cause });
      }
      await delay(firstPauseMs * 2 ** (attempt - 1), undefined, { signal });
    }
  }
}

/** Matches OpenSSL's messages for untrusted certificates: @actions/core passes on the message only. */
const CERTIFICATE = /certificate|altnames/i;

/** Advice for a failure, by @actions/core's message; its proxy client's errors mention a tunneling socket. */
function adviceOn(text: string): string {
  if (CERTIFICATE.test(text))
    return "Set the input ca-certificate to the certificate of the authority that signed GitHub's or the proxy's.";
  if (/tunneling socket/.test(text)) return 'Check the proxy that HTTPS_PROXY names, and what it allows.';
  return 'Run the job again; if it still fails, see githubstatus.com.';
}

/** True if a retry may succeed. @actions/core's message contains the status; a reset or a stall has none. */
function isPassing(message: string): boolean {
  const status = /Error Code : (\d+)/.exec(message)?.[1];
  if (status !== undefined) return status === '429' || status.startsWith('5');
  return !(/do not have ID Token/.test(message) || CERTIFICATE.test(message));
}
