/** Bytes of a line, its `\n` not counted, that are handed on in one piece. */
export const LONGEST_LINE = 64 * 1024;

const LINE_FEED = 0x0a;

/** Takes `count` lines with their `\n`, or with `partial` a piece without one of a line that goes on. The bytes are only lent. */
export type LineTaker = (bytes: Buffer, count: number, partial: boolean) => void;

/**
 * Makes lines of UTF-8 that comes in pieces, none of which tears a character. Only `\n` ends a line; a lone `\r` (a progress bar)
 * stays inside it. A line of more than 64 KiB is handed on in parts, so that memory does not grow with it; the parts don't
 * depend on the pieces.
 */
export class LineSplitter {
  #pending = Buffer.alloc(0);
  #held = 0;

  /** True when something was pushed that no `\n` has ended yet. */
  get unfinished(): boolean {
    return this.#held > 0;
  }

  /** Hands the lines that `bytes` completes to `take`, in order and as many at once as come together. */
  push(bytes: Buffer, take: LineTaker): void {
    let from = 0;
    if (this.#held > 0) {
      const end = bytes.indexOf(LINE_FEED);
      from = end === -1 ? bytes.length : end + 1;
      this.#hold(bytes, 0, from);
      this.#cut(end === -1 ? LONGEST_LINE : LONGEST_LINE + 1, take);
      if (end === -1) return;
      take(this.#pending.subarray(0, this.#held), 1, false);
      this.#held = 0;
    }
    let [lines, start] = [0, from];
    for (let end = bytes.indexOf(LINE_FEED, start); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      if (end - start > LONGEST_LINE) {
        if (start > from) take(bytes.subarray(from, start), lines, false);
        this.#hold(bytes, start, end + 1);
        this.#cut(LONGEST_LINE + 1, take);
        take(this.#pending.subarray(0, this.#held), 1, false);
        this.#held = 0;
        lines = 0;
        from = end + 1;
      } else {
        lines++;
      }
      start = end + 1;
    }
    if (start > from) take(bytes.subarray(from, start), lines, false);
    if (start === bytes.length) return;
    this.#hold(bytes, start, bytes.length);
    this.#cut(LONGEST_LINE, take);
  }

  /** Hands on the last line, which no `\n` has ended. */
  end(take: LineTaker): void {
    if (this.#held > 0) take(this.#pending.subarray(0, this.#held), 1, false);
    this.#held = 0;
  }

  #hold(bytes: Buffer, from: number, to: number): void {
    const size = this.#held + to - from;
    if (size > this.#pending.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(1024, size * 2));
      this.#pending.copy(larger, 0, 0, this.#held);
      this.#pending = larger;
    }
    bytes.copy(this.#pending, this.#held, from, to);
    this.#held = size;
  }

  /** Hands on the beginning of the pending line until at most `rest` bytes are left. */
  #cut(rest: number, take: LineTaker): void {
    let start = 0;
    while (this.#held - start > rest) {
      const at = characterStart(this.#pending, start + LONGEST_LINE);
      take(this.#pending.subarray(start, at), 1, true);
      start = at;
    }
    if (start > 0) this.#pending.copy(this.#pending, 0, start, this.#held);
    this.#held -= start;
  }
}

/** The last position up to `at` where a character of the UTF-8 text begins. */
export function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}
