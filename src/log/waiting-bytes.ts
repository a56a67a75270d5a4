const START_BYTES = 64 * 1024;

/** Bytes that wait for their turn. */
export class WaitingBytes {
  #bytes = Buffer.allocUnsafeSlow(START_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends a copy. */
  add(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(length * 2);
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** All of them. They stay as they are until the first ones are dropped. */
  get all(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  dropFirst(count: number): void {
    this.#bytes.copyWithin(0, count, this.#length);
    this.#length -= count;
  }

  /** A copy of those from `start` up to `end`. */
  copy(start: number, end: number): Buffer {
    return Buffer.from(this.#bytes.subarray(start, Math.min(end, this.#length)));
  }
}
