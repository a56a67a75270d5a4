import { closeSync, writeSync } from 'node:fs';

/** Whole lines at the end of a regular file, each there before the next statement runs: a killed process loses nothing that it said. */
export class AppendedFile {
  readonly #descriptor: number;
  /** Of a line that a full disk took the beginning of. */
  #rest: Buffer = Buffer.alloc(0);

  /** @param descriptor open for appending */
  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Writes a line with its end. Throws what node:fs throws when the file takes nothing of it. */
  append(line: string): void {
    this.#push();
    const bytes = Buffer.from(line);
    this.#rest = bytes;
    try {
      this.#push();
    } catch (error) {
      // The beginning is out: the rest goes before the next line.
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
