import { rename, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import * as core from '@actions/core';
import { messageOf, OutcomeError } from '../outcome.ts';

export const ID_TOKEN_FILE = 'id-token';

/** Tries for one token: @actions/core itself repeats 502, 503 and 504, but neither a reset nor another 5xx. */
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
/** @actions/core sets no deadline, and its own repeats take 10 s. */
const ATTEMPT_DEADLINE_MS = 20_000;
/** GitHub's tokens live 5 minutes; a fresh one is fetched when this part of a token's life is over. */
const REFRESH_AT = 0.6;
const REFRESH_AGAIN_MS = 10_000;
/** What is assumed of a token whose `exp` can't be read. */
const ASSUMED_LIFE_MS = 300_000;
/** Milliseconds after which a token is made fresh, whatever it says of its life. */
const LONGEST_REFRESH_MS = 3_600_000;

const NO_PERMISSION =
  "Failed to get this job's ID token: the job may not ask for one. Add `permissions: id-token: write` to the workflow " +
  'or the job; GitHub never grants it to pull requests from forks.';

export interface IdTokenSource {
  /** What the token is for: its `aud`. */
  readonly audience: string;
  /** The step's environment, where GitHub says whether there are tokens for this job. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Called once when GitHub's certificate isn't trusted: trusts more, if it can. */
  readonly trustMore?: () => void;
  /** `core.getIDToken` unless given. */
  readonly getIdToken?: (audience: string) => Promise<string>;
  /** Milliseconds; 500 unless given. Doubled at each try. */
  readonly firstPauseMs?: number;
}

/**
 * The CI job's ID token, masked in the console. Tries again after a reset, a stall, a 429 or a 5xx. @actions/core goes through
 * the proxies of the environment by itself, the lower case of their variables before the upper.
 * @throws OutcomeError `auth-error` when the job gets none, and the signal's reason when it aborts
 */
export async function requestIdToken(source: IdTokenSource): Promise<string> {
  const { audience, environment, signal, getIdToken = core.getIDToken, firstPauseMs = FIRST_PAUSE_MS } = source;
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken } = environment;
  if (!url || !requestToken) throw new OutcomeError('auth-error', NO_PERMISSION);
  let { trustMore } = source;
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await abortable(getIdToken(audience), signal, ATTEMPT_DEADLINE_MS);
    } catch (cause) {
      signal.throwIfAborted();
      const text = cause instanceof Error ? cause.message.replace(/\s+/g, ' ').trim() : String(cause);
      if (CERTIFICATE.test(text) && trustMore !== undefined) {
        trustMore();
        trustMore = undefined;
        continue;
      }
      if (attempt === ATTEMPTS || !isPassing(text)) {
        const sentence = `Failed to get this job's ID token for ${audience}: ${text}. ${adviceOn(text)}`;
        throw new OutcomeError('auth-error', sentence, { cause });
      }
      await delay(firstPauseMs * 2 ** (attempt - 1), undefined, { signal });
    }
  }
}

/** What OpenSSL's words for a certificate that isn't trusted have in common, which is all that @actions/core hands on. */
const CERTIFICATE = /certificate|altnames/i;

/** What helps, by what @actions/core says of the failure; its proxy client speaks of a tunneling socket. */
function adviceOn(text: string): string {
  if (CERTIFICATE.test(text))
    return "Set the input ca-certificate to the certificate of the authority that signed GitHub's, or the proxy's.";
  if (/tunneling socket/.test(text)) return 'Check the proxy that HTTPS_PROXY names, and what it allows.';
  return 'Run the job again; if it stays, see githubstatus.com.';
}

/** @actions/core names the status in its message; a reset or a stall has none. */
function isPassing(message: string): boolean {
  const status = /Error Code : (\d+)/.exec(message)?.[1];
  return status === undefined
    ? !(/do not have ID Token/.test(message) || CERTIFICATE.test(message))
    : status === '429' || status.startsWith('5');
}

async function abortable<T>(work: Promise<T>, signal: AbortSignal, ms: number): Promise<T> {
  const stopped = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  work.catch(() => undefined); // it may fail after nobody waits for it any more
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.aborted ? signal.reason : new Error(`no answer within ${ms / 1000} s`));
    stopped.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stopped.removeEventListener('abort', onAbort);
  }
}

/** Writes the token so that a reader sees the old one or the new one, whole; readable by this user alone. */
export async function writeIdToken(path: string, token: string): Promise<void> {
  await writeFile(`${path}.part`, token, { mode: 0o600 });
  await rename(`${path}.part`, path);
}

/**
 * Milliseconds until a fresh token should be there: 60 % of this one's life, as it says itself when it began, so that this machine's
 * clock need not be right. `now` is in milliseconds since the epoch, for one that doesn't say.
 */
export function refreshDelay(token: string, now: number): number {
  const { iat = now / 1000, exp = iat + ASSUMED_LIFE_MS / 1000 } = timesOf(token);
  return Math.min(Math.max(1_000, REFRESH_AT * (exp - iat) * 1000), LONGEST_REFRESH_MS);
}

/** `iat` and `exp` of a JWT, in seconds since the epoch. They are not verified: only the one who is shown the token decides. */
function timesOf(token: string): { readonly iat?: number; readonly exp?: number } {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null) return {};
    const { iat, exp } = claims as { readonly iat?: unknown; readonly exp?: unknown }; // whatever they are
    return { ...(typeof iat === 'number' && { iat }), ...(typeof exp === 'number' && { exp }) };
  } catch {
    return {};
  }
}

export interface IdTokenFile extends IdTokenSource {
  readonly path: string;
  /** What the file holds now. */
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
  /** Milliseconds from a failed refresh to the next try; 10,000 unless given. */
  readonly retryMs?: number;
}

/** Keeps the file fresh until the signal aborts. A failing refresh is told once and tried again; it never rejects. */
export async function keepIdTokenFresh(file: IdTokenFile): Promise<void> {
  const { path, signal, now, warn, retryMs = REFRESH_AGAIN_MS } = file;
  let wait = refreshDelay(file.token, now());
  let warned = false;
  while (!signal.aborted) {
    try {
      await delay(wait, undefined, { signal });
      const token = await requestIdToken(file);
      await writeIdToken(path, token);
      wait = refreshDelay(token, now());
      warned = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!warned) warn(messageOf(error));
      warned = true;
      wait = retryMs;
    }
  }
}
