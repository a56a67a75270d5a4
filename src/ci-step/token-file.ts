import { rename, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { withEntry } from '../base/error-codes.ts';
import { codeOf, messageOf } from '../base/outcome.ts';
import type { Host } from './host.ts';

export const tokenFileSchema = z.object({
  path: z.string(),
  audience: z.string(),
  caCertificate: z.string().optional(),
});

/** The file from which an engine reads the CI job's ID token, and the request for that token. */
export type TokenFile = Readonly<z.infer<typeof tokenFileSchema>>;

/** Between two tokens: GitHub's are valid for 5 minutes. */
const REFRESH_MS = 120_000;
const RETRY_MS = 10_000;

/**
 * Writes a fresh token atomically: a reader sees the old or the new one. Throws what the host or
 * node:fs throws.
 */
export async function writeFreshToken(
  host: Host,
  { path, audience, caCertificate }: TokenFile,
  signal: AbortSignal,
): Promise<void> {
  const token = await host.requestIdToken({ audience, caCertificate }, signal);
  await writeFile(`${path}.part`, token, { mode: 0o600 });
  await rename(`${path}.part`, path);
}

/**
 * Runs `work`, and renews the token in `file`, if there is one, after `firstMs` and again. Throws what
 * `work` throws.
 */
export async function withFreshToken<T>(
  host: Host,
  file: TokenFile | undefined,
  work: () => Promise<T>,
  firstMs = REFRESH_MS,
): Promise<T> {
  if (file === undefined) return await work();
  const end = new AbortController();
  const renewal = keepTokenFresh(host, file, AbortSignal.any([host.cancelled, end.signal]), { firstMs });

  try {
    return await work();
  } finally {
    end.abort();
    await renewal;
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
