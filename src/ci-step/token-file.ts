import { rename, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { withEntry } from '../base/error-codes.ts';
import { codeOf, messageOf } from '../base/outcome.ts';
import type { Host, TokenFile } from './host.ts';

/** Milliseconds between tokens: GitHub's are valid for 5 minutes. */
const REFRESH_MS = 120_000;
const RETRY_MS = 10_000;

/**
 * Writes a fresh token atomically: a reader sees the old or the new one. Throws what the host or
 * node:fs throws.
 */
export async function writeFreshToken(
  host: Host,
  { path, ...request }: TokenFile,
  signal: AbortSignal,
): Promise<void> {
  await writeFile(`${path}.part`, await host.identityToken(request, signal), { mode: 0o600 });
  await rename(`${path}.part`, path);
}

/**
 * Runs `work`, and renews the token in `file`, if given, after `firstMs` milliseconds and again.
 * Throws what `work` throws.
 */
export async function withFreshToken<T>(
  host: Host,
  file: TokenFile | undefined,
  work: () => Promise<T>,
  firstMs = REFRESH_MS,
): Promise<T> {
  if (file === undefined) return await work();
  const over = new AbortController();
  const keeping = keepTokenFresh(host, file, AbortSignal.any([host.cancelled, over.signal]), { firstMs });

  try {
    return await work();
  } finally {
    over.abort();
    await keeping;
  }
}

/**
 * Writes a fresh token again and again until aborted; shows a failure once and retries. Never
 * rejects.
 */
export async function keepTokenFresh(
  host: Host,
  file: TokenFile,
  signal: AbortSignal,
  { firstMs = REFRESH_MS, everyMs = REFRESH_MS, retryMs = RETRY_MS } = {},
): Promise<void> {
  let [waitMs, failed] = [firstMs, false];
  while (!signal.aborted) {
    try {
      await delay(waitMs, undefined, { signal });
      await writeFreshToken(host, file, signal);
      [waitMs, failed] = [everyMs, false];
    } catch (error) {
      if (signal.aborted) return;
      if (!failed) host.warning(withEntry(messageOf(error), codeOf(error)));
      [waitMs, failed] = [retryMs, true];
    }
  }
}
