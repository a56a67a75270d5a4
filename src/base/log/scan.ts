import type { AhoCorasick } from './aho-corasick.ts';
import { CUT, IS_NOTABLE, invisibleLength, MOST_INVISIBLE } from './invisible-text.ts';

const TAB = 0x09;
const LF = 0x0a;
const SPACE = 0x20;

/** So much of a wrapped form at a line's end makes the line wait for the next one. */
const SURELY_WRAPPED = 8;

/** A sequence without an end that has n times as many bytes is read again after n more. */
const LONG_SEQUENCE = 1024;

/** Places that a reading keeps besides twice those that it needs. */
const SPARE_PLACES = 1024;

/** The starts of what the following text may complete, at a text's end. */
export interface Tail {
  /** From here on a secret may have begun, or an escape sequence. */
  readonly secretStart: number;
  /** The same if a wrapped form may have begun so recently that it holds nothing back. */
  readonly wrappedStart: number;
}

/**
 * Finds secrets in a text as three readers see it: one reads each byte; one doesn't see what is
 * invisible; one also goes on after a line end and indentation as if there were none, and looks for
 * forms that can be wrapped. The three differ only for a few characters after such a place, and are
 * one reader otherwise, whose loop has no other work.
 *
 * However the text arrives, each byte is read once, but for an escape sequence that has no end yet.
 * Positions are bytes since the whole text's beginning.
 */
export class Scan {
  readonly automaton: AhoCorasick;
  readonly #visible: Reader;
  readonly #joined: Reader;
  #raw = 0;
  /**
   * Everything before it has been read. After `read`, the end of the text or the start of a piece
   * that it cuts.
   */
  #next: number;
  /** The end of the text when it was read. */
  #end: number;
  /** The end of what is invisible. */
  #invisibleEnd = 0;
  /** Where invisible pieces of several bytes begin and end, in turns. */
  readonly #pieces: number[] = [];
  #lineStart = 0;
  #isIndented = false;

  /** @param start the position of the first byte to read */
  constructor(automaton: AhoCorasick, start: number) {
    this.automaton = automaton;
    this.#visible = new Reader(automaton, automaton.longest);
    this.#joined = new Reader(automaton, automaton.longestWrapped, automaton.wrapped);
    this.#next = start;
    this.#end = start;
  }

  /**
   * Reads on.
   *
   * @param text the text from `base` on, and what an earlier call said to keep is in it
   * @param isEnd the text is complete
   * @param onMatch receives for each reader the range of the longest secret that ends at each
   * position; a range that
   *   begins or ends inside something invisible has all of it, because its rest would look different
   */
  read(text: Uint8Array, base: number, isEnd: boolean, onMatch: (start: number, end: number) => void): Tail {
    const { table, dense, longest, depth, wrapped } = this.automaton;
    const [visible, joined] = [this.#visible, this.#joined];
    const end = text.length;
    let raw = this.#raw;
    let at = this.#next - base;

    // Else each byte of a long sequence would have all of it read again.
    const waits = !isEnd && base + end - this.#end < (this.#end - this.#next) / LONG_SEQUENCE;

    if (!waits) this.#end = base + end;

    for (; at < end && !waits; at++) {
      if (raw < dense && !visible.isOpen && !joined.isOpen) {
        for (; at < end; at++) {
          const next = table[raw * 256 + (text[at] as number)] as number;
          if (next < 0) break;
          raw = next;
        }
        if (at === end) break;
      }

      const byte = text[at] as number;
      if (byte === LF) {
        // A blank line ends what was wrapped.
        if (joined.isOpen && this.#isIndented) joined.isOpen = false;
        else if (!joined.isOpen)
          joined.fork(wrapped[visible.isOpen ? visible.state : raw] as number, base + at, visible);
        this.#isIndented = true;
      } else if (IS_NOTABLE[byte] === 1) {
        const length = invisibleLength(text, at, isEnd);
        if (length === CUT) break;

        if (length > 0) {
          const pieceEnd = at + length;
          this.#invisibleEnd = base + pieceEnd;
          if (length > 1) this.#pieces.push(base + at, base + pieceEnd);
          if (!visible.isOpen) visible.fork(raw, base + at);
          visible.skip(base + pieceEnd);
          if (joined.isOpen) joined.skip(base + pieceEnd);

          for (; at < pieceEnd; at++) {
            raw = this.automaton.next(raw, text[at] as number);
            if (longest[raw] !== 0)
              onMatch(this.#whole(base + at + 1 - (longest[raw] as number)), base + pieceEnd);
          }

          at--;
          continue;
        }
      }

      raw = this.automaton.next(raw, byte);

      const place = base + at;
      if (longest[raw] !== 0) onMatch(this.#whole(place + 1 - (longest[raw] as number)), place + 1);

      if (visible.isOpen) {
        visible.take(byte, place, onMatch);
        if (visible.state === raw && (depth[raw] as number) <= place + 1 - this.#invisibleEnd)
          visible.isOpen = false;
      }

      if (!joined.isOpen) continue;

      if (this.#isIndented && (byte === LF || byte === SPACE || byte === TAB)) {
        joined.skip(place + 1);
        continue;
      }

      if (this.#isIndented) this.#lineStart = place;
      this.#isIndented = false;
      joined.take(byte, place, onMatch);
      if (joined.start >= this.#lineStart) joined.isOpen = false;
    }

    this.#raw = raw;
    this.#next = base + at;

    const joinedStart = joined.isOpen ? joined.start : this.#next;
    const isSure = joined.isOpen && (depth[joined.state] as number) >= SURELY_WRAPPED;
    const rawStart = this.#whole(this.#next - (depth[raw] as number));
    const secretStart = Math.min(
      rawStart,
      visible.isOpen ? visible.start : this.#next,
      isSure ? joinedStart : this.#next,
    );
    const wrappedStart = Math.min(secretStart, joinedStart);

    this.#pieces.splice(0, this.#before(wrappedStart) & ~1);

    return { secretStart, wrappedStart };
  }

  /** `place`, or the beginning of the invisible piece that it is inside of. */
  #whole(place: number): number {
    const before = this.#before(place);
    return before % 2 === 0 ? place : (this.#pieces[before - 1] as number);
  }

  /** How many of the pieces' borders are at or before `place`. */
  #before(place: number): number {
    let [low, high] = [0, this.#pieces.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pieces[middle] as number) <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** A reader that has left some bytes out. While closed, it sees what the others see. */
class Reader {
  readonly #automaton: AhoCorasick;
  readonly #longest: Int32Array;
  readonly #link: Int32Array | undefined;
  state = 0;
  isOpen = false;
  /** Positions of the bytes that were taken; the last ones are those that the state stands for. */
  readonly #places: number[] = [];
  #count = 0;

  /** @param link for each state the one to be in instead */
  constructor(automaton: AhoCorasick, longest: Int32Array, link?: Int32Array) {
    this.#automaton = automaton;
    this.#longest = longest;
    this.#link = link;
  }

  /** The position of the first byte that the state stands for; infinite if it stands for none. */
  get start(): number {
    return this.#place(this.#automaton.depth[this.state] as number);
  }

  /** Begins with what was read before `at`, by `other` if that is open. */
  fork(state: number, at: number, other?: Reader): void {
    this.state = state;
    this.isOpen = other === undefined || state > 0;
    this.#count = 0;
    for (let back = this.#automaton.depth[state] as number; back > 0; back--) {
      this.#places[this.#count++] = other?.isOpen ? other.#place(back) : at - back;
    }
  }

  take(byte: number, at: number, onMatch: (start: number, end: number) => void): void {
    this.#places[this.#count++] = at;

    const next = this.#automaton.next(this.state, byte);
    const length = this.#longest[next] as number;

    if (length > 0) onMatch(this.#place(length), at + 1);
    this.state = this.#link === undefined ? next : (this.#link[next] as number);

    const depth = this.#automaton.depth[this.state] as number;
    if (this.#count <= 2 * depth + SPARE_PLACES) return;

    this.#places.copyWithin(0, this.#count - depth, this.#count);
    this.#count = depth;
  }

  /**
   * Leaves out the text before `at`. The text left out since a secret's beginning stays bounded.
   */
  skip(at: number): void {
    const { depth, fail } = this.#automaton;
    while (this.state > 0 && at - this.start - (depth[this.state] as number) > MOST_INVISIBLE) {
      const next = fail[this.state] as number;
      this.state = this.#link === undefined ? next : (this.#link[next] as number);
    }
  }

  #place(back: number): number {
    return back === 0 ? Number.POSITIVE_INFINITY : (this.#places[this.#count - back] as number);
  }
}
