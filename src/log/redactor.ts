import { AhoCorasick, type PatternFound } from './aho-corasick.ts';
import { MASK, masked } from './mask.ts';
import { secretForms } from './secret-forms.ts';

/** Characters up to which a text is searched form by form while there is no automaton: making one takes some 10 ms. */
const SHORT_TEXT = 4096;

/**
 * Hides secret values in text. What a value's forms are (lines, line ends, encodings) and which values are too short to be
 * hidden is said in secret-forms.ts. Everything any form covers is hidden; covered stretches that overlap or touch become one `***`.
 */
export class Redactor {
  readonly #forms = new Set<string>();
  #automaton: AhoCorasick | undefined;

  /** Adds secret values. Streams that are running hide them from here on, the tail they still hold included. */
  add(values: Iterable<string>): void {
    for (const value of values) {
      for (const form of secretForms(value)) {
        if (this.#forms.has(form)) continue;
        this.#forms.add(form);
        this.#automaton = undefined;
      }
    }
  }

  /** Redacts a text that stands alone. */
  text(value: string): string {
    if (this.#automaton === undefined && value.length <= SHORT_TEXT) return masked(value, this.#forms);
    const stream = this.stream();
    return stream.push(value) + stream.end();
  }

  /** Redacts a text that comes in pieces, split anywhere. */
  stream(): RedactionStream {
    return new RedactionStream(() => this.#current());
  }

  /** Makes now what the next stream needs, for a moment when nothing waits. */
  prepare(): void {
    this.#current();
  }

  /** The automaton of all values added so far, made when it is first needed; undefined without values. */
  #current(): AhoCorasick | undefined {
    if (this.#automaton === undefined && this.#forms.size > 0) this.#automaton = new AhoCorasick([...this.#forms]);
    return this.#automaton;
  }
}

/**
 * One text on its way through the redactor. Between two calls it holds back only the tail that is a secret's beginning, which is
 * shorter than the longest secret and is let go as soon as later text disproves it; a mask goes out as soon as it is certain.
 */
export class RedactionStream {
  readonly #current: () => AhoCorasick | undefined;
  #automaton: AhoCorasick | undefined;
  #state = 0;
  /** The raw text that `#state` stands for. All positions below count from its start. */
  #held = '';
  /** Up to here the text is covered by a mask that is out already; negative when the last mask lies further back. */
  #maskedUntil = -1;
  /** Covered stretches that begin inside the held text: disjoint, in order, not touching. */
  #starts: number[] = [];
  #ends: number[] = [];

  /** @param current gives the automaton to use from now on; streams are made by `Redactor.stream()` */
  constructor(current: () => AhoCorasick | undefined) {
    this.#current = current;
  }

  /** Takes the next piece and returns what is settled by it, redacted. */
  push(text: string): string {
    this.#follow();
    const automaton = this.#automaton;
    if (automaton === undefined) return text;
    this.#scan(automaton, text, this.#held.length);
    const input = this.#held + text;
    return this.#release(input, input.length - automaton.depth(this.#state));
  }

  /** The same for ASCII in bytes, which come back untouched when nothing in them is hidden or held. */
  pushAscii(bytes: Buffer): Buffer | string {
    this.#follow();
    const automaton = this.#automaton;
    if (automaton === undefined) return bytes;
    this.#state = automaton.scan(bytes, this.#state, this.#covering(this.#held.length));
    const depth = automaton.depth(this.#state);
    if (depth === 0 && this.#held === '' && this.#starts.length === 0 && this.#maskedUntil < 0) return bytes;
    const input = this.#held + bytes.toString('latin1');
    return this.#release(input, input.length - depth);
  }

  /** Returns the rest, redacted. The stream is then as new. */
  end(): string {
    this.#follow();
    const rest = this.#release(this.#held, this.#held.length);
    this.#state = 0;
    this.#maskedUntil = -1;
    return rest;
  }

  /** Takes over values that were added since: the held text is looked at again. */
  #follow(): void {
    const current = this.#current();
    if (current === undefined || current === this.#automaton) return;
    this.#automaton = current;
    this.#state = 0;
    this.#starts = [];
    this.#ends = [];
    this.#scan(current, this.#held, 0);
  }

  #scan(automaton: AhoCorasick, text: string, base: number): void {
    this.#state = automaton.scanText(text, this.#state, this.#covering(base));
  }

  #covering(base: number): PatternFound {
    return (end, length) => this.#cover(base + end - length, base + end);
  }

  /** Ends come in rising order, so only the last stretches can overlap the new one or touch it. */
  #cover(start: number, end: number): void {
    let first = start;
    while ((this.#ends.at(-1) ?? -1) >= first) {
      this.#ends.pop();
      first = Math.min(first, this.#starts.pop() ?? first);
    }
    this.#starts.push(first);
    this.#ends.push(end);
  }

  /** Lets `input` go up to `safe` (no secret that is still open begins before it) and holds the rest. */
  #release(input: string, safe: number): string {
    let out = '';
    let at = Math.max(0, this.#maskedUntil);
    let done = 0;
    for (; done < this.#starts.length; done++) {
      const start = this.#starts[done] as number;
      if (start > safe) break;
      if (start > this.#maskedUntil) out += input.slice(at, start) + MASK;
      at = this.#maskedUntil = Math.max(this.#maskedUntil, this.#ends[done] as number);
    }
    if (at < safe) out += at === 0 && safe === input.length ? input : input.slice(at, safe);
    this.#starts = this.#starts.slice(done).map((start) => start - safe);
    this.#ends = this.#ends.slice(done).map((end) => end - safe);
    this.#held = input.slice(safe);
    this.#maskedUntil -= safe;
    return out;
  }
}
