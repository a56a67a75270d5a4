import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { Body } from './body.ts';

/**
 * Headers that belong to a single connection (RFC 9110, 7.6.1), or that each side writes itself.
 */
const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  ...[
    'connection',
    'keep-alive',
    'proxy-connection',
    'proxy-authenticate',
    'proxy-authorization',
    'te',
    'trailer',
  ],
  ...['transfer-encoding', 'upgrade', 'host', 'expect'],
]);

/** The whole body, of which `maxBytes` are kept. */
export async function bodyOf(source: AsyncIterable<unknown>, maxBytes: number): Promise<Body> {
  const body = new Body(maxBytes);
  for await (const chunk of source) body.take(chunk as Buffer);
  return body;
}

/**
 * Passes `source` on and keeps a copy. The rest is read even if the receiver closes early: an
 * answer may be due.
 */
export function copied(source: Readable, copy: Body): Readable {
  const passing = new Transform({
    transform: (chunk: Buffer, _, done) => {
      copy.take(chunk);
      done(null, chunk);
    },
  });

  // The missing answer reports why it was cut.
  passing.on('error', () => undefined).once('close', () => source.resume());
  return source.pipe(passing);
}

/**
 * Passes chunks on and keeps a copy. Waits for `before` ahead of the last of `length` bytes, or of
 * the end.
 */
export async function* observed(
  source: AsyncIterable<Buffer>,
  copy: Body,
  length?: number,
  before?: () => Promise<void>,
): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    copy.take(chunk);
    if (copy.bytes === length) await before?.();
    yield chunk;
  }
  await before?.();
}

/** Raw headers, alternating names and values, without those of a single connection. */
export function passedOn(raw: readonly string[]): string[] {
  return raw.filter((_, index) => !OF_ONE_CONNECTION.has((raw[index - (index % 2)] ?? '').toLowerCase()));
}

/** Raw headers by lower-case name. */
export function byName(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < raw.length; at += 2) headers[(raw[at] ?? '').toLowerCase()] = raw[at + 1] ?? '';
  return headers;
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
