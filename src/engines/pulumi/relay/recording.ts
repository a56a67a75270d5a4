import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FILES } from '../../../record/schema.ts';
import type { Exchange } from './relay.ts';

/** Bytes of a recording, and characters of a body in it. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_TEXT = 256 * 1024;
/** Items of a list that are kept: a log call's lines are in the step's log. */
const MOST_ITEMS = 20;
const KEPT_HEADERS = [
  'accept',
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'retry-after',
  'user-agent',
];
/** Fields whose values are replaced whatever they hold. */
const SECRET = 'token|secret|passw|passphrase|credential|ciphertext|assertion|private|api_?key|access_?key';
const SECRET_FIELD = new RegExp(SECRET, 'i');
/** The same in a form or a query, and in lines of JSON. */
const FORM_FIELD = new RegExp(`((?:^|[?&])[^=&?]{0,100}(?:${SECRET})[^=&?]{0,100}=)[^&]*`, 'gi');
const JSON_FIELD = new RegExp(`("[^"]{0,100}(?:${SECRET})[^"]{0,100}"\\s*:\\s*")(?:[^"\\\\]|\\\\.)*`, 'gi');
const HIDDEN = '***';

export interface RecordingOptions {
  readonly directory: string;
  readonly redact: (text: string) => string;
}

/** The relay's conversation as wire.ndjson, one call a line, without any secret. */
export class Recording {
  readonly #redact: (text: string) => string;
  readonly #descriptor: number | undefined;
  #bytes = 0;

  /** Makes the file, mode 0600. Without room for it there is none. */
  constructor({ directory, redact }: RecordingOptions) {
    this.#redact = redact;
    try {
      this.#descriptor = openSync(join(directory, RUN_FILES.wire), 'ax', 0o600);
    } catch {
      this.#descriptor = undefined;
    }
  }

  /** Writes one call, its bodies where they are readable: once their secrets are known. Never throws. */
  take(exchange: Exchange, isReadable = true): void {
    if (this.#descriptor === undefined || this.#bytes > MOST_BYTES) return;
    const { at, ms, method, path, status = 0, failure, requestHeaders, responseHeaders, request, response } = exchange;
    const sent = headersOf(requestHeaders);
    const line = JSON.stringify({
      t: new Date(at).toISOString(),
      ms: Math.round(ms),
      method,
      path: this.#redact(path.replace(FORM_FIELD, `$1${HIDDEN}`)),
      status,
      ...(failure !== undefined && { failure: this.#redact(failure) }),
      request: { headers: this.#value(sent), ...this.#body(request, sent['content-encoding'], isReadable) },
      response: {
        headers: this.#value(headersOf(responseHeaders)),
        ...this.#body(response, responseHeaders['content-encoding'], isReadable),
      },
    });
    this.#bytes += line.length;
    try {
      writeSync(this.#descriptor, `${line}\n`);
    } catch {
      // A full disk must not end a deployment: the recording is incomplete then.
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  /** `json`, or else `text`, or else why there is neither. */
  #body(body: Exchange['request'], encoding: string | undefined, isReadable: boolean): object {
    if (body.bytes === 0 || !isReadable) return { bytes: body.bytes };
    const json = body.json(encoding);
    if (json !== undefined) return { bytes: body.bytes, json: this.#value(json) };
    const text = body.text(encoding);
    // Fields of a form, lines of JSON, or a page.
    const hidden = text?.replace(FORM_FIELD, `$1${HIDDEN}`).replace(JSON_FIELD, `$1${HIDDEN}`);
    return { bytes: body.bytes, ...(hidden !== undefined && { text: this.#redact(hidden).slice(0, MOST_TEXT) }) };
  }

  #value(value: unknown, name = ''): unknown {
    if (typeof value === 'string')
      return isHidden(name) && value !== '' ? HIDDEN : this.#redact(value).slice(0, MOST_TEXT);
    if (Array.isArray(value))
      return value
        .slice(0, MOST_ITEMS)
        .map((item) => this.#value(item, name))
        .concat(left(value));
    if (typeof value !== 'object' || value === null) return isHidden(name) && typeof value === 'number' ? 0 : value;
    // Whatever a job's variables are called, their values are nobody's business.
    const inner = (key: string) => (name === 'env' ? 'secret' : isHidden(name) ? name : key);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#value(item, inner(key))]));
  }
}

/** Not what names a kind of token, or says how long one lives. */
function isHidden(name: string): boolean {
  return SECRET_FIELD.test(name) && !/token_type|_type$/i.test(name);
}

function left(items: readonly unknown[]): unknown[] {
  return items.length > MOST_ITEMS ? [{ more: items.length - MOST_ITEMS }] : [];
}

/** The scheme of an authorization, and not what it carries. */
function headersOf(headers: Exchange['requestHeaders']): Record<string, string> {
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = headers[name];
    if (value === undefined) return [];
    const text = typeof value === 'string' ? value : value.join(', ');
    return [[name, name === 'authorization' ? text.replace(/^(\S+ )?.*$/s, `$1${HIDDEN}`) : text] as const];
  });
  return Object.fromEntries(kept);
}
