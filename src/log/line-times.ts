const LINE_FEED = 0x0a;
/** Entries that are kept at most: beyond that, lines share the time of the last one until it is read. */
const MOST_ENTRIES = 65_536;

/** How many lines a log has, and when each began, by its position. Bounded: read far behind, it loses precision, never order. */
export class LineTimes {
  #entries: { readonly position: number; readonly time: number }[] = [];
  #bytes = 0;
  #ends = 0;
  #isOpen = false;

  /** Lines so far; one that has no end yet counts. */
  get count(): number {
    return this.#isOpen ? this.#ends + 1 : this.#ends;
  }

  /** True when the last line has no end yet. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** `bytes` came behind all before them at `time`, in milliseconds since the epoch, which only ever rises. */
  add(bytes: Buffer, time: number): void {
    // The rest of a line has the line's own time.
    const first = this.#isOpen ? bytes.indexOf(LINE_FEED) : -1;
    const isNew = this.#entries.at(-1)?.time !== time && this.#entries.length < MOST_ENTRIES;
    if (isNew && (first !== -1 || !this.#isOpen)) this.#entries.push({ position: this.#bytes + first + 1, time });
    this.#bytes += bytes.length;
    this.#ends += lineEnds(bytes);
    this.#isOpen = bytes.at(-1) !== LINE_FEED;
  }

  /** The time of the line at `position`: milliseconds since the epoch. */
  at(position: number): number {
    return this.#entries[this.#entry(position)]?.time ?? 0;
  }

  /** Lines before `position` are not asked for any more. */
  forget(position: number): void {
    this.#entries.splice(0, this.#entry(position));
  }

  /** The last entry at or before `position`; what is read lies near the first, as those before are forgotten. */
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
