import { closeSync, writeSync } from 'node:fs';

/** Appends whole lines to a regular file synchronously, so that a killed process loses none. */
export class AppendedFile {
  readonly #descriptor: number;
  /** The rest of a line that a full disk accepted only in part. */
  #rest: Buffer = Buffer.alloc(0);

  /** @param descriptor open for appending */
  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /**
   * Appends a line, given with its line end. Throws what node:fs throws if none of it is written.
   */
  append(line: string): void {
    this.#push();
    const bytes = Buffer.from(line);
    this.#rest = bytes;

    try {
      this.#push();
    } catch (error) {
      // The beginning is written: the rest precedes the next line.
      if (this.#rest.length < bytes.length) return;
      this.#rest = Buffer.alloc(0);
      throw error;
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #push(): void {
    while (this.#rest.length > 0) this.#rest = this.#rest.subarray(writeSync(this.#descriptor, this.#rest));
  }
}
