import { open } from 'node:fs/promises';
import { type Clock, systemClock } from '../../base/clock.ts';
import { ConnectError } from '../../base/network/failure.ts';
import { findRoute, openRoute } from '../../base/network/route.ts';
import { messageOf, OutcomeError } from '../../base/outcome.ts';
import { retry } from '../../base/retry.ts';
import { VERSION } from '../../base/version.ts';
import { PartialFile } from './partial-file.ts';
import type { ReleaseSources } from './release.ts';

export interface DownloadOptions extends ReleaseSources {
  readonly caCertificate?: string | undefined;
  /** Milliseconds to connect, for the response to begin, and between two chunks of it. */
  readonly requestTimeoutMs: number;
  readonly clock?: Clock;
}

/** How often a download is started or resumed. */
const ATTEMPTS = 6;

/** Milliseconds before the second attempt; each further wait is about twice as long. */
const FIRST_WAIT_MS = 1_000;

/** Milliseconds for a whole file. */
const WHOLE_MS = 15 * 60_000;
const REDIRECTS = 5;

/** The received file's digest in hexadecimal, and its length in bytes. */
export interface Downloaded {
  readonly sha256: string;
  readonly bytes: number;
}

/** A retry may succeed. */
class PassingError extends Error {}

/**
 * Downloads `url` into a new `file` of at most `maxBytes`, through the proxy and with the
 * certificates that the agent itself uses. Resumes an interrupted download where it ended. Throws
 * OutcomeError `target-error`, and the signal's reason.
 */
export async function download(
  url: string,
  file: string,
  maxBytes: number,
  options: DownloadOptions,
): Promise<Downloaded> {
  const { signal, log, clock = systemClock } = options;
  const limit = AbortSignal.timeout(WHOLE_MS);
  const either = AbortSignal.any([signal, limit]);
  await using target = await open(file, 'ax', 0o600);
  const partial = new PartialFile(target, maxBytes);

  const pauseMs = (cause: unknown, failures: number) => {
    signal.throwIfAborted();

    // The proxy or a certificate is unusable.
    if (cause instanceof OutcomeError) return undefined;

    const reason = limit.aborted ? `it took longer than ${WHOLE_MS / 60_000} minutes` : messageOf(cause);
    if (!(cause instanceof PassingError) || failures === ATTEMPTS || limit.aborted)
      throw failure(url, reason, cause);

    const wait = FIRST_WAIT_MS * 2 ** (failures - 1) * (0.75 + Math.random() / 2);
    const next = `Continuing at byte ${partial.bytes} in ${(wait / 1000).toFixed(1)} s`;
    log('warning', `Failed to download ${url}: ${reason}. ${next}.`);
    return wait;
  };

  const load = () => loadFrom(url, partial, { ...options, signal: either });
  await retry(load, pauseMs, { clock, signal });

  return { sha256: partial.sha256(), bytes: partial.bytes };
}

function failure(url: string, reason: string, cause: unknown): OutcomeError {
  const message = `Failed to download ${url} for the engine: ${reason}. Check engine_version and engine_download_url, and that the network allows the download; offline, install the agent in advance or set engine_path.`;
  return new OutcomeError('target-error', message, { code: 'PRA-ENGINE-02', cause });
}

/** One attempt, through all redirects. Throws PassingError if a retry may succeed. */
async function loadFrom(from: string, partial: PartialFile, options: DownloadOptions): Promise<void> {
  let url = new URL(from);
  for (let hop = 0; hop <= REDIRECTS; hop += 1) {
    const next = await loadOnce(url, partial, options);
    if (next === undefined) return;
    if (url.protocol === 'https:' && next.protocol !== 'https:')
      throw new Error(`${url.host} redirects to ${next.host} without https`);
    url = next;
  }

  throw new Error(`there are more than ${REDIRECTS} redirects`);
}

/** Asks one server. Returns where it redirects to, or undefined once the file is complete. */
async function loadOnce(url: URL, partial: PartialFile, options: DownloadOptions): Promise<URL | undefined> {
  const { environment, caCertificate, requestTimeoutMs, signal, secrets } = options;
  const route = findRoute({
    serviceUrl: url.href,
    setting: 'engine_download_url',
    connectTimeoutMs: requestTimeoutMs,
    caCertificate,
    environment,
  });

  secrets.add(route.secrets);
  const dispatcher = openRoute(route);
  try {
    const { bytes, tag } = partial;
    const range = bytes > 0 && tag !== undefined ? { range: `bytes=${bytes}-`, 'if-range': tag } : {};

    const { statusCode, headers, body } = await passing(
      dispatcher.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'GET',
        headers: { 'user-agent': `pulumi-runner-agent/${VERSION}`, 'accept-encoding': 'identity', ...range },
        headersTimeout: requestTimeoutMs,
        bodyTimeout: requestTimeoutMs,
        signal,
      }),
    );

    const { location, etag } = headers;
    if (statusCode >= 300 && statusCode < 400 && typeof location === 'string') return new URL(location, url);
    if (statusCode === 408 || statusCode === 429 || statusCode >= 500)
      throw new PassingError(`${url.host} answers HTTP ${statusCode}`);
    if (statusCode === 404) throw new Error(`${url.host} has no such file (HTTP 404)`);

    if (statusCode === 416 || (statusCode === 206 && !startsAt(headers['content-range'], bytes))) {
      await partial.restart();
      throw new PassingError(`${url.host} can't continue it (HTTP ${statusCode})`);
    }

    if (statusCode !== 200 && statusCode !== 206) throw new Error(`${url.host} answers HTTP ${statusCode}`);

    // The server sends the whole file, even if only a part was requested.
    if (statusCode === 200) await partial.restart();

    // A weak tag doesn't identify exact bytes.
    partial.tag = typeof etag === 'string' && etag.startsWith('"') ? etag : undefined;

    const chunks = body[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = await passing(chunks.next());
      if (done === true) return undefined;
      await partial.write(value);
    }
  } finally {
    await dispatcher.destroy();
  }
}

/**
 * Turns a network failure into a PassingError, unless the certificate is at fault: a retry wouldn't
 * change that.
 */
async function passing<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (cause) {
    if (cause instanceof ConnectError && cause.code === 'PRA-NET-04') throw cause;
    throw new PassingError(messageOf(cause), { cause });
  }
}

function startsAt(contentRange: string | string[] | undefined, byte: number): boolean {
  return typeof contentRange === 'string' && contentRange.startsWith(`bytes ${byte}-`);
}
