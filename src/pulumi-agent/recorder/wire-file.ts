import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FILES } from '../../record/schema.ts';
import type { Body, ProxiedCall } from '../proxy/call.ts';

/** Bytes of a recording, and characters of a text in it. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_TEXT = 256 * 1024;

/** Items kept of a list: the lines of a log call are in the step's log anyway. */
const MAX_ITEMS = 20;

const KEPT_HEADERS = [
  'accept',
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'retry-after',
  'user-agent',
];

/** Fields whose values are always replaced. */
const SECRET = 'token|secret|passw|passphrase|credential|ciphertext|assertion|private|api_?key|access_?key';
const SECRET_FIELD = new RegExp(SECRET, 'i');

/** The same fields in a form or a query, and in JSON lines. */
const FORM_FIELD = new RegExp(`((?:^|[?&])[^=&?]{0,100}(?:${SECRET})[^=&?]{0,100}=)[^&]*`, 'gi');
const JSON_FIELD = new RegExp(`("[^"]{0,100}(?:${SECRET})[^"]{0,100}"\\s*:\\s*")(?:[^"\\\\]|\\\\.)*`, 'gi');
const HIDDEN = '***';

/** The field with a log line's text. */
const LINE = 'l';

/** The file wire.ndjson: the proxied calls, one per line, without secrets. */
export class WireFile {
  readonly #redact: (text: string) => string;
  readonly #descriptor: number | undefined;
  readonly #maxBytes: number;
  #bytes = 0;

  /**
   * Creates the file with mode 0600. If that fails, nothing is recorded. The line that exceeds
   * `maxBytes` is the last.
   */
  constructor(directory: string, redact: (text: string) => string, maxBytes = MAX_BYTES) {
    this.#redact = redact;
    this.#maxBytes = maxBytes;
    try {
      this.#descriptor = openSync(join(directory, RUN_FILES.wire), 'ax', 0o600);
    } catch {
      this.#descriptor = undefined;
    }
  }

  /**
   * Writes one call, with its bodies if `isReadable`: once their secrets are known. Never throws.
   */
  write(call: ProxiedCall, isReadable = true): void {
    if (this.#descriptor === undefined || this.#bytes > this.#maxBytes) return;

    const { started, durationMs, method, path, status = 0, failure } = call;
    const { request, requestHeaders, response, responseHeaders } = call;
    const shownHeaders = headersOf(requestHeaders);

    const line = JSON.stringify({
      t: new Date(started.now).toISOString(),
      ms: Math.round(durationMs),
      method,
      path: this.#redact(path.replace(FORM_FIELD, `$1${HIDDEN}`)),
      status,
      failure: failure === undefined ? undefined : this.#redact(failure),
      request: {
        headers: this.#value(shownHeaders),
        ...this.#body(request, shownHeaders['content-encoding'], isReadable),
      },
      response: {
        headers: this.#value(headersOf(responseHeaders)),
        ...this.#body(response, responseHeaders['content-encoding'], isReadable),
      },
    });

    try {
      this.#bytes += writeSync(this.#descriptor, `${line}\n`);
    } catch {
      // A full disk must not end a deployment; the recording is then incomplete.
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  /** The body's `bytes` and, if it is readable, its `json` or else its `text`. */
  #body(body: Body, encoding: string | undefined, isReadable: boolean): object {
    if (body.bytes === 0 || !isReadable) return { bytes: body.bytes };

    const json = body.json(encoding);
    if (json !== undefined) return { bytes: body.bytes, json: this.#value(json) };

    const text = body.text(encoding);

    // A form, JSON lines or a web page.
    const hidden = text?.replace(FORM_FIELD, `$1${HIDDEN}`).replace(JSON_FIELD, `$1${HIDDEN}`);

    return {
      bytes: body.bytes,
      text: hidden === undefined ? undefined : this.#redact(hidden).slice(0, MAX_TEXT),
    };
  }

  #value(value: unknown, name = ''): unknown {
    // Line by line the redactor can't see a secret that its program wrapped; the step's log has the text.
    if (name === LINE && typeof value === 'string') return `${HIDDEN}${value.endsWith('\n') ? '\n' : ''}`;

    if (typeof value === 'string')
      return isHidden(name) && value !== '' ? HIDDEN : this.#redact(value).slice(0, MAX_TEXT);

    if (Array.isArray(value))
      return value
        .slice(0, MAX_ITEMS)
        .map((item) => this.#value(item, name))
        .concat(rest(value));

    if (typeof value !== 'object' || value === null)
      return isHidden(name) && typeof value === 'number' ? 0 : value;

    // The values of a job's variables are hidden, whatever their names.
    const inner = (key: string) => (name === 'env' ? 'secret' : isHidden(name) ? name : key);

    // A name can be a secret too: a job writes its own calls.
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.#redact(key), this.#value(item, inner(key))]),
    );
  }
}

/** True for the name of a secret, but not for one that says the type of a token. */
function isHidden(name: string): boolean {
  return SECRET_FIELD.test(name) && !/token_type|_type$/i.test(name);
}

/** The placeholder for the items that are left out. */
function rest(items: readonly unknown[]): unknown[] {
  return items.length > MAX_ITEMS ? [{ more: items.length - MAX_ITEMS }] : [];
}

/** The headers worth keeping, with only the scheme of an authorization. */
function headersOf(headers: ProxiedCall['requestHeaders']): Record<string, string> {
  const entries = KEPT_HEADERS.flatMap((name) => {
    const value = headers[name];
    if (value === undefined) return [];
    const text = typeof value === 'string' ? value : value.join(', ');
    return [[name, name === 'authorization' ? text.replace(/^(\S+ )?.*$/s, `$1${HIDDEN}`) : text] as const];
  });
  return Object.fromEntries(entries);
}
