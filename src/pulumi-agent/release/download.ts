import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { systemClock } from '../../base/clock.ts';
import type { Environment } from '../../base/environment.ts';
import type { Log } from '../../base/log/level.ts';
import type { SecretSink } from '../../base/log/redactor.ts';
import { ConnectError } from '../../base/network/failure.ts';
import { findRoute, openRoute } from '../../base/network/route.ts';
import { messageOf, OutcomeError } from '../../base/outcome.ts';
import { retry } from '../../base/retry.ts';
import { VERSION } from '../../base/version.ts';

export interface DownloadOptions {
  /** The agent's own environment, for the proxy and certificates. */
  readonly environment: Environment;
  readonly caCertificate: string | undefined;
  /** To connect, for the response to begin, and between two chunks of it. */
  readonly requestTimeoutMs: number;
  readonly log: Log;
  /** Aborts the download; its reason is thrown. */
  readonly signal: AbortSignal;
  /** Receives the proxy's password before it is used. */
  readonly secrets: SecretSink;
}

/** How often a download is started or resumed. */
const MAX_ATTEMPTS = 6;

/** Before the second attempt; each further wait is about twice as long. */
const FIRST_WAIT_MS = 1_000;

/** For a whole file. */
const FILE_MS = 15 * 60_000;
const MAX_REDIRECTS = 5;

/** A retry can succeed. */
class TransientError extends Error {}

/**
 * Downloads `url` into a new `file` of at most `maxBytes`, through the proxy and with the
 * certificates that the agent itself uses. Resumes an interrupted download where it ended. Throws
 * OutcomeError `target-error`, and the signal's reason. Returns the file's digest in hexadecimal, and
 * its length.
 */
export async function download(
  url: string,
  file: string,
  maxBytes: number,
  options: DownloadOptions,
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const { signal, log } = options;
  const limit = AbortSignal.timeout(FILE_MS);
  const either = AbortSignal.any([signal, limit]);
  await using target = await open(file, 'ax', 0o600);
  const partial = new PartialFile(target, maxBytes);

  const pauseMs = (cause: unknown, failures: number) => {
    signal.throwIfAborted();

    // The proxy or a certificate is unusable.
    if (cause instanceof OutcomeError) return undefined;

    const reason = limit.aborted ? `it took longer than ${FILE_MS / 60_000} minutes` : messageOf(cause);
    if (!(cause instanceof TransientError) || failures === MAX_ATTEMPTS || limit.aborted)
      throw failure(url, reason, cause);

    const wait = FIRST_WAIT_MS * 2 ** (failures - 1) * (0.75 + Math.random() / 2);
    const next = `Continuing at byte ${partial.bytes} in ${(wait / 1000).toFixed(1)} s`;
    log('warning', `Failed to download ${url}: ${reason}. ${next}.`);
    return wait;
  };

  const load = () => loadFrom(url, partial, { ...options, signal: either });
  await retry(load, pauseMs, { clock: systemClock, signal });

  return { sha256: partial.sha256(), bytes: partial.bytes };
}

function failure(url: string, reason: string, cause: unknown): OutcomeError {
  const message = `Failed to download ${url} for the engine: ${reason}. Check engine_version and engine_download_url, and that the network allows the download; offline, install the agent in advance or set engine_path.`;
  return new OutcomeError('target-error', message, { code: 'PRA-ENGINE-02', cause });
}

/** One attempt, through all redirects. Throws TransientError if a retry may succeed. */
async function loadFrom(from: string, partial: PartialFile, options: DownloadOptions): Promise<void> {
  let url = new URL(from);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const next = await loadOnce(url, partial, options);
    if (next === undefined) return;
    if (url.protocol === 'https:' && next.protocol !== 'https:')
      throw new Error(`${url.host} redirects to ${next.host} without https`);
    url = next;
  }

  throw new Error(`there are more than ${MAX_REDIRECTS} redirects`);
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

    const { statusCode, headers, body } = await transient(
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
      throw new TransientError(`${url.host} answers HTTP ${statusCode}`);
    if (statusCode === 404) throw new Error(`${url.host} has no such file (HTTP 404)`);

    if (statusCode === 416 || (statusCode === 206 && !startsAt(headers['content-range'], bytes))) {
      await partial.restart();
      throw new TransientError(`${url.host} can't continue it (HTTP ${statusCode})`);
    }

    if (statusCode !== 200 && statusCode !== 206) throw new Error(`${url.host} answers HTTP ${statusCode}`);

    // The server sends the whole file, even if only a part was requested.
    if (statusCode === 200) await partial.restart();

    // A weak tag doesn't identify exact bytes.
    partial.tag = typeof etag === 'string' && etag.startsWith('"') ? etag : undefined;

    const chunks = body[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = await transient(chunks.next());
      if (done === true) return undefined;
      await partial.write(value);
    }
  } finally {
    await dispatcher.destroy();
  }
}

/**
 * Turns a network failure into a TransientError, unless the certificate is at fault: a retry
 * wouldn't change that.
 */
async function transient<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (cause) {
    if (cause instanceof ConnectError && cause.code === 'PRA-NET-04') throw cause;
    throw new TransientError(messageOf(cause), { cause });
  }
}

function startsAt(contentRange: string | string[] | undefined, byte: number): boolean {
  return typeof contentRange === 'string' && contentRange.startsWith(`bytes ${byte}-`);
}

/** A download so far, written and digested as it arrives. */
export class PartialFile {
  /** Bytes received so far. */
  bytes = 0;
  /** The entity tag of those bytes: only the very same file may be resumed. */
  tag: string | undefined;
  readonly #file: FileHandle;
  readonly #maxBytes: number;
  #hash = createHash('sha256');

  /** `file` must be empty and open for appending. Its owner closes it. */
  constructor(file: FileHandle, maxBytes: number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** Throws if the file would become too large, and what node:fs throws. */
  async write(chunk: Buffer): Promise<void> {
    if (this.bytes + chunk.length > this.#maxBytes)
      throw new Error(`it is larger than ${this.#maxBytes} bytes`);
    await this.#file.appendFile(chunk);
    this.#hash.update(chunk);
    this.bytes += chunk.length;
  }

  /** Discards what was received. */
  async restart(): Promise<void> {
    await this.#file.truncate(0);
    this.#hash = createHash('sha256');
    this.bytes = 0;
    this.tag = undefined;
  }

  /** The digest of what was received, in hexadecimal. Can be called once. */
  sha256(): string {
    return this.#hash.digest('hex');
  }
}
