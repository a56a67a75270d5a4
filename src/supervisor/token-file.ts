import { rename, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { withEntry } from '../error-codes.ts';
import { codeOf, messageOf } from '../outcome.ts';
import type { Host } from './host.ts';

/** A fresh token is fetched when this part of a token's life is over; GitHub's live 5 minutes. */
const REFRESH_AT = 0.6;
const RETRY_MS = 10_000;
/** What is assumed of a token that doesn't say how long it lives. */
const ASSUMED_LIFE_SECONDS = 300;
/** Milliseconds. */
const REFRESH_MS = { least: 1_000, most: 3_600_000 };

/** Where an engine reads the CI job's ID token. */
export interface TokenFile {
  readonly path: string;
  readonly audience: string;
}

/** Writes a fresh token, which it returns. Throws what the host throws, and what node:fs throws. */
export async function writeFreshToken(host: Host, { path, audience }: TokenFile, signal: AbortSignal): Promise<string> {
  const token = await host.identityToken(audience, signal);
  await writeToken(path, token);
  return token;
}

/** Writes the token so that a reader sees the old one or the new one, whole; readable by this user alone. */
export async function writeToken(path: string, token: string): Promise<void> {
  await writeFile(`${path}.part`, token, { mode: 0o600 });
  await rename(`${path}.part`, path);
}

/**
 * Does `work` with a fresh token in the file all the while, or with none where `file` is undefined. Throws what `work` throws, and
 * what `writeFreshToken` throws.
 */
export async function withFreshToken<T>(host: Host, file: TokenFile | undefined, work: () => Promise<T>): Promise<T> {
  if (file === undefined) return await work();
  const over = new AbortController();
  const signal = AbortSignal.any([host.cancelled, over.signal]);
  const keeping = keepTokenFresh(host, file, await writeFreshToken(host, file, signal), signal);
  try {
    return await work();
  } finally {
    over.abort();
    await keeping;
  }
}

/** Keeps the file, which holds `token` now, fresh until the signal aborts. A failing refresh is shown once and tried again; never rejects. */
export async function keepTokenFresh(
  host: Host,
  file: TokenFile,
  token: string,
  signal: AbortSignal,
  retryMs = RETRY_MS,
): Promise<void> {
  let wait = refreshDelay(token, host.now());
  let warned = false;
  while (!signal.aborted) {
    try {
      await delay(wait, undefined, { signal });
      wait = refreshDelay(await writeFreshToken(host, file, signal), host.now());
      warned = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!warned) host.warning(withEntry(messageOf(error), codeOf(error)));
      warned = true;
      wait = retryMs;
    }
  }
}

/**
 * Milliseconds until a fresh token should be there: 60 % of this one's life, by its own `iat` and `exp`, so that this machine's clock
 * need not be right. `now` is in milliseconds since the epoch, for one without `iat`.
 */
export function refreshDelay(token: string, now: number): number {
  const { iat, exp } = claimsOf(token);
  const begin = typeof iat === 'number' ? iat : now / 1000;
  const life = typeof exp === 'number' ? exp - begin : ASSUMED_LIFE_SECONDS;
  return Math.min(Math.max(REFRESH_MS.least, REFRESH_AT * life * 1000), REFRESH_MS.most);
}

/** The claims of a JWT, unverified: only the one who is shown the token decides. */
function claimsOf(token: string): { readonly iat?: unknown; readonly exp?: unknown } {
  try {
    return Object(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')));
  } catch {
    return {};
  }
}
