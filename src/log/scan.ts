import type { AhoCorasick } from './aho-corasick.ts';
import { CUT, IS_NOTABLE, invisibleLength, MOST_INVISIBLE } from './invisible.ts';

const TAB = 0x09;
const LF = 0x0a;
const SPACE = 0x20;
/** So much of a wrapped form at a line's end makes the line wait for the next one. */
const SURELY_WRAPPED = 8;

/** Where the end of a text begins that belongs together with what follows. */
export interface Tail {
  /** From here on a secret may have begun. */
  readonly held: number;
  /** The same if a wrapped form may have begun so recently that it holds nothing back. */
  readonly kept: number;
}

/**
 * Finds secrets in a text as three readers see it: one reads each byte; one doesn't see what is invisible; one also goes
 * on after a line end and indentation as if there were none, and looks for forms that can be wrapped. The three differ
 * only for a few characters after such a place, and are one reader otherwise, whose loop has no other work.
 *
 * @param isEnd the text is complete
 * @param found receives the range of the longest secret that ends at each position, for each reader
 */
export function scan(
  automaton: AhoCorasick,
  text: Uint8Array,
  isEnd: boolean,
  found: (start: number, end: number) => void,
): Tail {
  const { table, dense, longest, depth, wrapped } = automaton;
  const end = text.length;
  const visible = new Reading(automaton, longest);
  const joined = new Reading(automaton, automaton.longestWrapped, wrapped);
  let raw = 0;
  /** The end of what is invisible, and the place from which on that isn't certain. */
  let hidden = 0;
  let open = end;
  /** Where invisible sequences begin and end: their bytes look different without the beginning. */
  const sequences: number[] = [];
  let lineStart = 0;
  let isIndented = false;
  for (let at = 0; at < end; at++) {
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
      if (joined.isOpen && isIndented) joined.isOpen = false;
      else if (!joined.isOpen) joined.fork(wrapped[visible.isOpen ? visible.state : raw] as number, at, visible);
      isIndented = true;
    } else if (IS_NOTABLE[byte] === 1) {
      const length = invisibleLength(text, at, isEnd);
      if (length !== 0) {
        if (!visible.isOpen) visible.fork(raw, at);
        if (length === CUT) open = at;
        hidden = length === CUT ? end : at + length;
        if (hidden > at + 1) sequences.push(at, hidden);
        // What the text cuts off may turn out visible: nothing that began before it is given up yet.
        if (length !== CUT) visible.skip(hidden);
        if (length !== CUT && joined.isOpen) joined.skip(hidden);
        for (; at < hidden; at++) {
          raw = automaton.next(raw, text[at] as number);
          if (longest[raw] !== 0) found(at + 1 - (longest[raw] as number), at + 1);
        }
        at--;
        continue;
      }
    }
    raw = automaton.next(raw, byte);
    if (longest[raw] !== 0) found(at + 1 - (longest[raw] as number), at + 1);
    if (visible.isOpen) {
      visible.take(byte, at, found);
      if (visible.state === raw && (depth[raw] as number) <= at + 1 - hidden) visible.isOpen = false;
    }
    if (!joined.isOpen) continue;
    if (isIndented && (byte === LF || byte === SPACE || byte === TAB)) {
      joined.skip(at + 1);
      continue;
    }
    if (isIndented) lineStart = at;
    isIndented = false;
    joined.take(byte, at, found);
    if (joined.start >= lineStart) joined.isOpen = false;
  }
  const begun = joined.isOpen ? joined.start : end;
  const isSure = joined.isOpen && (depth[joined.state] as number) >= SURELY_WRAPPED;
  let rawStart = end - (depth[raw] as number);
  const around = sequences.findLastIndex((place) => place <= rawStart);
  if (around >= 0 && around % 2 === 0) rawStart = sequences[around] as number;
  const held = Math.min(open, rawStart, visible.isOpen ? visible.start : end, isSure ? begun : end);
  return { held, kept: Math.min(held, begun) };
}

/** A reader that has left some bytes out. While closed, it sees what the others see. */
class Reading {
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
  fork(state: number, at: number, other?: Reading): void {
    this.state = state;
    this.isOpen = other === undefined || state > 0;
    this.#count = 0;
    for (let back = this.#automaton.depth[state] as number; back > 0; back--) {
      this.#places[this.#count++] = other?.isOpen ? other.#place(back) : at - back;
    }
  }

  take(byte: number, at: number, found: (start: number, end: number) => void): void {
    this.#places[this.#count++] = at;
    const next = this.#automaton.next(this.state, byte);
    const length = this.#longest[next] as number;
    if (length > 0) found(this.#place(length), at + 1);
    this.state = this.#link === undefined ? next : (this.#link[next] as number);
    if (this.state === 0) this.#count = 0;
  }

  /** Leaves out what is before `at`. What was left out since a secret's beginning can't become too much. */
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
