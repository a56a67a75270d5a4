import { decompressed } from '../../base/http-body.ts';
import { parsedJson } from '../../base/json.ts';

/** Bytes that a body may decompress to. */
const LARGEST = 64 * 1024 * 1024;

/** A body passing through: kept as received, up to a limit. */
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

  /** False if more was received than is kept. */
  get isWhole(): boolean {
    return this.#bytes <= this.#maxBytes;
  }

  take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.isWhole) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  /** The body as received; empty if it isn't whole. */
  get whole(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /**
   * The body as text, decompressed per `encoding` (Content-Encoding); undefined if it isn't whole
   * or that fails.
   */
  text(encoding?: string): string | undefined {
    if (!this.isWhole) return undefined;
    try {
      return decompressed(this.whole, encoding, LARGEST).toString();
    } catch {
      return undefined;
    }
  }

  /** The body as JSON; undefined if it isn't JSON. */
  json(encoding: string | undefined): unknown {
    const text = this.text(encoding);
    return text === undefined ? undefined : parsedJson(text);
  }
}
