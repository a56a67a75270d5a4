import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

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
