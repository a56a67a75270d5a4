import type { Moment } from '../../base/clock.ts';
import { decompressed } from '../../base/http-body.ts';
import { parsedJson } from '../../base/json.ts';
import type { Endpoint } from './protocol.ts';

/** Bytes that a body can decompress to. */
const MAX_DECOMPRESSED = 64 * 1024 * 1024;

/** A body on its way through the proxy: copied as received, up to a limit. */
export class Body {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes received. */
  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#isComplete) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  /** The body as received; empty if it is larger than the limit. */
  get raw(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /**
   * The body as text, decompressed by `encoding` (Content-Encoding); undefined if that fails, or
   * if the body is larger than the limit.
   */
  text(encoding?: string): string | undefined {
    if (!this.#isComplete) return undefined;
    try {
      return decompressed(this.raw, encoding, MAX_DECOMPRESSED).toString();
    } catch {
      return undefined;
    }
  }

  /** The body as JSON; undefined if it isn't JSON. */
  json(encoding: string | undefined): unknown {
    const text = this.text(encoding);
    return text === undefined ? undefined : parsedJson(text);
  }

  get #isComplete(): boolean {
    return this.#bytes <= this.#maxBytes;
  }
}

/** One call with a credential of the run, once it went through the proxy or was cut off. */
export interface ProxiedCall {
  readonly endpoint: Endpoint;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly requestHeaders: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly request: Body;
  /** Undefined without an answer. */
  readonly status: number | undefined;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly response: Body;
  /** Why there is no answer, or only part of one. */
  readonly failure?: string | undefined;
  /** The time of its arrival. */
  readonly started: Moment;
  /** From then to the end of the answer. */
  readonly durationMs: number;
}

/** The body of the request, as JSON; undefined if it isn't JSON. */
export function requestJson({ request, requestHeaders }: ProxiedCall): unknown {
  const encoding = requestHeaders['content-encoding'];
  return request.json(typeof encoding === 'string' ? encoding : undefined);
}

/** The body of the answer, as JSON; undefined if it isn't JSON. */
export function responseJson({ response, responseHeaders }: ProxiedCall): unknown {
  return response.json(responseHeaders['content-encoding']);
}
