import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** What has come of a download so far; written and digested as it comes. */
export class PartialFile {
  /** What came so far. */
  bytes = 0;
  /** The entity tag of what came so far: only the very same file may be continued. */
  tag: string | undefined;
  readonly #file: FileHandle;
  readonly #maxBytes: number;
  #hash = createHash('sha256');

  /** `file` is empty, and stays its owner's to close. */
  constructor(file: FileHandle, maxBytes: number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** Throws when the file would become too large, and what node:fs throws. */
  async write(chunk: Buffer): Promise<void> {
    if (this.bytes + chunk.length > this.#maxBytes) throw new Error(`it is larger than ${this.#maxBytes} bytes`);
    for (let done = 0; done < chunk.length; ) {
      const { bytesWritten } = await this.#file.write(chunk, done, chunk.length - done, this.bytes + done);
      done += bytesWritten;
    }
    this.#hash.update(chunk);
    this.bytes += chunk.length;
  }

  /** Forgets what came so far. */
  async restart(): Promise<void> {
    await this.#file.truncate(0);
    this.#hash = createHash('sha256');
    this.bytes = 0;
    this.tag = undefined;
  }

  /** The digest of what came, in hexadecimal; once. */
  sha256(): string {
    return this.#hash.digest('hex');
  }
}
