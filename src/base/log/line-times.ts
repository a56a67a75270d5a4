const LINE_FEED = 0x0a;

/**
 * The most entries kept; further lines share the last one's time until older entries are discarded.
 */
const MAX_ENTRIES = 65_536;

/**
 * Counts a log's lines and records when each began. Bounded: with a slow reader times lose
 * precision but not order.
 */
export class LineTimes {
  #entries: { readonly position: number; readonly time: number }[] = [];
  #bytes = 0;
  #ends = 0;
  #isOpen = false;

  /** Lines so far, including an unfinished one. */
  get count(): number {
    return this.#isOpen ? this.#ends + 1 : this.#ends;
  }

  /** True if the last line is unfinished. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Appends `bytes`; their `time`, in milliseconds since the epoch, must never decrease. */
  add(bytes: Buffer, time: number): void {
    // The rest of a line keeps the line's time.
    const first = this.#isOpen ? bytes.indexOf(LINE_FEED) : -1;
    const isNew = this.#entries.at(-1)?.time !== time && this.#entries.length < MAX_ENTRIES;

    if (isNew && (first !== -1 || !this.#isOpen))
      this.#entries.push({ position: this.#bytes + first + 1, time });
    this.#bytes += bytes.length;
    this.#ends += lineEnds(bytes);
    this.#isOpen = bytes.at(-1) !== LINE_FEED;
  }

  /** When the line at `position` began, in milliseconds since the epoch. */
  at(position: number): number {
    return this.#entries[this.#entry(position)]?.time ?? 0;
  }

  /** Discards the times of lines before `position`. */
  forget(position: number): void {
    this.#entries.splice(0, this.#entry(position));
  }

  /**
   * The last entry at or before `position`. Reads are near the first entry, since older ones are
   * discarded.
   */
  #entry(position: number): number {
    const next = this.#entries.findIndex((each) => each.position > position);
    return Math.max(0, (next === -1 ? this.#entries.length : next) - 1);
  }
}

/** Line ends in `bytes`. */
export function lineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}
