import { rename, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { withEntry } from '../error-codes.ts';
import { codeOf, messageOf } from '../outcome.ts';
import type { Host } from './host.ts';

/** Milliseconds between tokens: GitHub's are valid for 5 minutes. */
const REFRESH_MS = 120_000;
const RETRY_MS = 10_000;

/** The file from which an engine reads the CI job's ID token. */
export interface TokenFile {
  readonly path: string;
  readonly audience: string;
}

/** Writes a fresh token atomically: a reader sees the old or the new one. Throws what the host or node:fs throws. */
export async function writeFreshToken(host: Host, { path, audience }: TokenFile, signal: AbortSignal): Promise<void> {
  await writeFile(`${path}.part`, await host.identityToken(audience, signal), { mode: 0o600 });
  await rename(`${path}.part`, path);
}

/** Runs `work` while keeping the token in `file`, if given, fresh. Throws what `work` and `writeFreshToken` throw. */
export async function withFreshToken<T>(host: Host, file: TokenFile | undefined, work: () => Promise<T>): Promise<T> {
  if (file === undefined) return await work();
  const over = new AbortController();
  const signal = AbortSignal.any([host.cancelled, over.signal]);
  await writeFreshToken(host, file, signal);
  const keeping = keepTokenFresh(host, file, signal);
  try {
    return await work();
  } finally {
    over.abort();
    await keeping;
  }
}

/** Writes a fresh token every `everyMs` milliseconds until aborted; shows a failure once and retries. Never rejects. */
export async function keepTokenFresh(
  host: Host,
  file: TokenFile,
  signal: AbortSignal,
  everyMs = REFRESH_MS,
  retryMs = RETRY_MS,
): Promise<void> {
  let failed = false;
  while (!signal.aborted) {
    try {
      await delay(failed ? retryMs : everyMs, undefined, { signal });
      await writeFreshToken(host, file, signal);
      failed = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!failed) host.warning(withEntry(messageOf(error), codeOf(error)));
      failed = true;
    }
  }
}
