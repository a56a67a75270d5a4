import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** Bytes that a body may unfold to. */
const LARGEST = 64 * 1024 * 1024;

/** A body on its way past: kept as it came, up to a limit. */
export class Body {
  readonly #most: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Bytes that came. */
  get bytes(): number {
    return this.#bytes;
  }

  /** False when more came than is kept. */
  get isWhole(): boolean {
    return this.#bytes <= this.#most;
  }

  take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.isWhole) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  /** As text, unpacked as `encoding` (Content-Encoding) says; undefined when it isn't whole, or can't be unpacked. */
  text(encoding: string | undefined): string | undefined {
    if (!this.isWhole) return undefined;
    const bytes = Buffer.concat(this.#chunks);
    try {
      return unpacked(bytes, encoding).toString();
    } catch {
      return undefined;
    }
  }

  /** As JSON; undefined when it isn't. */
  json(encoding: string | undefined): unknown {
    const text = this.text(encoding);
    if (text === undefined || text.trim() === '') return undefined;
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }
}

function unpacked(bytes: Buffer, encoding = 'identity'): Buffer {
  const options = { maxOutputLength: LARGEST };
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return bytes;
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, options);
    case 'deflate':
      return inflateSync(bytes, options);
    case 'br':
      return brotliDecompressSync(bytes, options);
    default:
      throw new Error(`unknown encoding ${encoding}`);
  }
}
