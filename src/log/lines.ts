import { cutPosition } from './text-cut.ts';

/** Characters (UTF-16 units) of a line, its `\n` not counted, that are handed on in one piece. */
export const LONGEST_LINE = 64 * 1024;

/** Takes a line with its `\n`, or with `partial` a piece without one of a line that goes on. */
export type LineTaker = (text: string, partial: boolean) => void;

/**
 * Makes lines of text that comes in pieces. Only `\n` ends a line; a lone `\r` (a progress bar) stays inside it. A line of more
 * than 64 Ki characters is handed on in parts, so that memory does not grow with it; the parts don't depend on the pieces.
 */
export class LineSplitter {
  #pending = '';

  /** True when text was pushed that no `\n` has ended yet. */
  get unfinished(): boolean {
    return this.#pending !== '';
  }

  /** Hands the lines that `text` completes to `take`, in order. */
  push(text: string, take: LineTaker): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      const line = text.slice(from, end + 1);
      from = end + 1;
      if (this.#pending === '' && line.length <= LONGEST_LINE + 1) {
        take(line, false);
      } else {
        this.#pending += line;
        this.#cut(LONGEST_LINE + 1, take);
        take(this.#pending, false);
        this.#pending = '';
      }
    }
    if (from === text.length) return;
    this.#pending += text.slice(from);
    this.#cut(LONGEST_LINE, take);
  }

  /** Hands on the last line, which no `\n` has ended. */
  end(take: LineTaker): void {
    if (this.#pending !== '') take(this.#pending, false);
    this.#pending = '';
  }

  /** Hands on the beginning of the pending line until at most `rest` characters are left. */
  #cut(rest: number, take: LineTaker): void {
    while (this.#pending.length > rest) {
      const at = cutPosition(this.#pending, LONGEST_LINE);
      take(this.#pending.slice(0, at), true);
      this.#pending = this.#pending.slice(at);
    }
  }
}
