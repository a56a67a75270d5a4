import { withoutPartialSequence } from '../base/log/invisible-text.ts';
import { stripControl } from '../base/log/plain-text.ts';

const CR = 0x0d;
const SPACE = 0x20;

/** States of a text, from its end, that are looked at for a visible one: an error and what clears its line. */
const MOST_STATES = 16;

/** Bytes of a state that decide whether it can be seen. */
const LOOKED_AT = 8 * 1024;

/**
 * Finds the last visible state, but for the first, of a line longer than the limit: carriage returns
 * rewrite a line, as for a progress bar.
 */
export class RewrittenStates {
  readonly #most: number;
  /** The last visible one that a carriage return ended. */
  #last: Buffer | undefined;
  /** The one after it, up to the limit; undefined in the first. */
  #open: Buffer | undefined;

  /** @param begun the line up to the limit, which bounds a state too */
  constructor(begun: Buffer) {
    this.#most = begun.length;
    this.add(begun);
  }

  add(bytes: Buffer): void {
    const end = bytes.lastIndexOf(CR);
    if (end < 0) {
      this.#open = this.#open && this.#joined(this.#open, bytes);
      return;
    }

    this.#last = this.#lastOf(bytes.subarray(0, end)) ?? this.#last;
    this.#open = this.#joined(bytes.subarray(end + 1));
  }

  get last(): Buffer | undefined {
    const state = this.#open !== undefined && isVisible(textOf(this.#open)) ? this.#open : this.#last;
    return state && withoutPartialSequence(state);
  }

  /** Of states that are complete, the last visible one; the open one goes on with the first bytes. */
  #lastOf(bytes: Buffer): Buffer | undefined {
    let to = bytes.length;

    for (let looked = 0; looked < MOST_STATES; looked++) {
      while (to > 0 && (bytes[to - 1] as number) <= SPACE) to--;
      const from = to === 0 ? -1 : bytes.lastIndexOf(CR, to - 1);
      const end = bytes.indexOf(CR, to);
      const piece = bytes.subarray(from + 1, end < 0 ? bytes.length : end);
      const state = from >= 0 ? this.#joined(piece) : this.#open && this.#joined(this.#open, piece);
      if (state !== undefined && isVisible(textOf(state))) return state;
      if (from < 0) return undefined;
      to = from;
    }

    return undefined;
  }

  /** A copy of the pieces, up to the limit. */
  #joined(...pieces: readonly Buffer[]): Buffer {
    return Buffer.concat(pieces.map((piece) => piece.subarray(0, this.#most))).subarray(0, this.#most);
  }
}

/** True if something of a line's state can be seen. */
export function isVisible(state: string): boolean {
  return stripControl(state).trim() !== '';
}

function textOf(state: Buffer): string {
  return state.toString('utf8', 0, LOOKED_AT);
}
