import { AhoCorasick, type PatternFound } from './aho-corasick.ts';
import { secretForms } from './secret-forms.ts';

/** What stands for everything that is hidden. */
const MASK = '***';

/** Secrets that are held for a while: of a job, or of a token that is replaced by the next one. */
export interface SecretScope {
  /** Hides `values` too, from here on, and in the tail that running streams still hold. */
  add(values: Iterable<string>): void;
  /** Hides none of the values any more, but those that another scope holds. What a stream has covered by now stays hidden. */
  forget(): void;
}

/**
 * Hides secret values in text. What a value's forms are (lines, line ends, encodings) and which values are too short to be
 * hidden is said in secret-forms.ts. Everything any form covers is hidden; covered stretches that overlap or touch become one `***`.
 * All scopes share one automaton: two passes would show what is left of a secret that holds another.
 */
export class Redactor {
  /** By form, how many scopes hold it. */
  readonly #holders = new Map<string, number>();
  readonly #own = this.scope();
  #automaton: AhoCorasick | undefined;

  /** Hides `values` for as long as the redactor lives. */
  add(values: Iterable<string>): void {
    this.#own.add(values);
  }

  /** Opens a scope for secrets that end before the redactor does. */
  scope(): SecretScope {
    const held = new Set<string>();
    return {
      add: (values) => {
        for (const form of [...values].flatMap(secretForms)) {
          if (!held.has(form)) this.#hold(form);
          held.add(form);
        }
      },
      forget: () => {
        for (const form of held) this.#release(form);
        held.clear();
      },
    };
  }

  /** Takes values that replace one another, one at a time, and hides the `kept` latest of them. */
  recent(kept: number): (value: string) => void {
    const scopes = new Map<string, SecretScope>();
    return (value) => {
      const scope = scopes.get(value) ?? this.scope();
      scope.add([value]);
      // Behind the others, as the latest.
      scopes.delete(value);
      scopes.set(value, scope);
      const [oldest] = scopes;
      if (scopes.size <= kept || oldest === undefined) return;
      scopes.delete(oldest[0]);
      oldest[1].forget();
    };
  }

  /** Redacts a text that stands alone. */
  text(value: string): string {
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

  /** The automaton of all that is held, made when it is first needed. */
  #current(): AhoCorasick {
    this.#automaton ??= new AhoCorasick([...this.#holders.keys()]);
    return this.#automaton;
  }

  #hold(form: string): void {
    const holders = this.#holders.get(form) ?? 0;
    this.#holders.set(form, holders + 1);
    if (holders === 0) this.#automaton = undefined;
  }

  #release(form: string): void {
    const holders = this.#holders.get(form) ?? 0;
    if (holders > 1) {
      this.#holders.set(form, holders - 1);
      return;
    }
    this.#holders.delete(form);
    this.#automaton = undefined;
  }
}

/**
 * One text on its way through the redactor. Between two calls it holds back only the tail that is a secret's beginning, which is
 * shorter than the longest secret and is let go as soon as later text disproves it; a mask goes out as soon as it is certain.
 */
export class RedactionStream {
  readonly #current: () => AhoCorasick;
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
  constructor(current: () => AhoCorasick) {
    this.#current = current;
  }

  /** Takes the next piece and returns what is settled by it, redacted. */
  push(text: string): string {
    const automaton = this.#follow();
    this.#state = automaton.scanText(text, this.#state, this.#covering(this.#held.length));
    const input = this.#held + text;
    return this.#release(input, input.length - automaton.depth(this.#state));
  }

  /** The same for ASCII in bytes, which come back untouched when nothing in them is hidden or held. */
  pushAscii(bytes: Buffer): Buffer | string {
    const automaton = this.#follow();
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

  /**
   * The automaton of what is held now. When that has changed, the held text is looked at again; what is covered in it already
   * stays so, even where all have forgotten it since.
   */
  #follow(): AhoCorasick {
    const current = this.#current();
    if (current === this.#automaton) return current;
    this.#automaton = current;
    const covered = this.#starts.map((start, index) => ({ start, end: this.#ends[index] as number }));
    this.#state = current.scanText(this.#held, 0, (end, length) => covered.push({ start: end - length, end }));
    this.#starts = [];
    this.#ends = [];
    for (const { start, end } of covered.toSorted((a, b) => a.end - b.end)) this.#cover(start, end);
    return current;
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
