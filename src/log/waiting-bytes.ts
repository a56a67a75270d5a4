const START_BYTES = 64 * 1024;

/** Bytes that wait for their turn. Two buffers take turns, so that nothing is left to the garbage collector. */
export class WaitingBytes {
  #bytes = Buffer.allocUnsafeSlow(START_BYTES);
  #spare = Buffer.allocUnsafeSlow(START_BYTES);
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

  /** Takes all of them; they stay as they are until the next call. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    [this.#bytes, this.#spare] = [this.#spare, this.#bytes];
    this.#length = 0;
    return taken;
  }

  /** Puts bytes that were taken before those that wait by now. */
  putBack(bytes: Buffer): void {
    const all = Buffer.concat([bytes, this.#bytes.subarray(0, this.#length)]);
    this.#bytes = all;
    this.#length = all.length;
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
