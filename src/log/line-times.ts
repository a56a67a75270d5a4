/** Entries that are kept at most. Beyond that every second one goes: its lines then share the time of those before them. */
const MOST_ENTRIES = 16_384;

/**
 * When the lines of a log were complete, by their position in its file. Lines that came together share one entry. Bounded: a
 * log that is read far behind its end loses precision, never order.
 */
export class LineTimes {
  #positions: number[] = [];
  #times: number[] = [];

  /** Lines from `position` on, in bytes, were complete at `time`, in milliseconds since the epoch. Both only ever rise. */
  add(position: number, time: number): void {
    if (this.#times.at(-1) === time) return;
    if (this.#positions.length === MOST_ENTRIES) this.#thin();
    this.#positions.push(position);
    this.#times.push(time);
  }

  /** The time of the line at `position`: milliseconds since the epoch. */
  at(position: number): number {
    return this.#times[this.#entry(position)] ?? 0;
  }

  /** Lines before `position` are not asked for any more. */
  forget(position: number): void {
    const entry = this.#entry(position);
    if (entry === 0) return;
    this.#positions.splice(0, entry);
    this.#times.splice(0, entry);
  }

  /** The last entry at or before `position`. */
  #entry(position: number): number {
    let low = 0;
    for (let high = this.#positions.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((this.#positions[middle] ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  #thin(): void {
    const isKept = (_: number, index: number) => index % 2 === 0;
    this.#positions = this.#positions.filter(isKept);
    this.#times = this.#times.filter(isKept);
  }
}
