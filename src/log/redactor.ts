import { AhoCorasick } from './aho-corasick.ts';
import { secretForms } from './secret-forms.ts';

/** What stands for everything that is hidden. */
const MASK = Buffer.from('***');

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
    return Buffer.concat([stream.push(Buffer.from(value)), stream.end()]).toString();
  }

  /** Redacts bytes of a text that comes in pieces, split anywhere. */
  stream(): RedactionStream {
    return new RedactionStream(() => this.#current());
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
  #held = Buffer.alloc(0);
  /** Up to here the text is covered by a mask that is out already; negative when the last mask lies further back. */
  #maskedUntil = -1;
  /** Covered stretches that begin inside the held text: disjoint, in order, not touching. */
  #covered: Stretch[] = [];

  /** @param current gives the automaton to use from now on; streams are made by `Redactor.stream()` */
  constructor(current: () => AhoCorasick) {
    this.#current = current;
  }

  /** Takes the next piece and returns what is settled by it, redacted: `bytes` itself where nothing is hidden or held. */
  push(bytes: Buffer): Buffer {
    const automaton = this.#follow();
    const before = this.#held.length;
    this.#state = automaton.scan(bytes, this.#state, (end, length) =>
      this.#cover({ start: before + end - length, end: before + end }),
    );
    const depth = automaton.depth(this.#state);
    if (depth === 0 && before === 0 && this.#covered.length === 0 && this.#maskedUntil < 0) return bytes;
    const input = before === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    return this.#release(input, input.length - depth);
  }

  /** Returns the rest, redacted. The stream is then as new. */
  end(): Buffer {
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
    const covered = this.#covered;
    this.#state = current.scan(this.#held, 0, (end, length) => covered.push({ start: end - length, end }));
    this.#covered = [];
    for (const stretch of covered.toSorted((a, b) => a.end - b.end)) this.#cover(stretch);
    return current;
  }

  /** Ends come in rising order, so only the last stretches can overlap the new one or touch it. */
  #cover({ start, end }: Stretch): void {
    let first = start;
    for (let last = this.#covered.at(-1); last !== undefined && last.end >= first; last = this.#covered.at(-1)) {
      first = Math.min(first, last.start);
      this.#covered.pop();
    }
    this.#covered.push({ start: first, end });
  }

  /** Lets `input` go up to `safe` (no secret that is still open begins before it) and holds the rest. */
  #release(input: Buffer, safe: number): Buffer {
    const out: Buffer[] = [];
    let at = Math.max(0, this.#maskedUntil);
    const settled = this.#covered.filter(({ start }) => start <= safe);
    for (const { start, end } of settled) {
      if (start > this.#maskedUntil) out.push(input.subarray(at, start), MASK);
      at = this.#maskedUntil = Math.max(this.#maskedUntil, end);
    }
    if (at < safe) out.push(input.subarray(at, safe));
    this.#covered = this.#covered
      .slice(settled.length)
      .map(({ start, end }) => ({ start: start - safe, end: end - safe }));
    // A copy: the bytes that came are only lent.
    this.#held = Buffer.from(input.subarray(safe));
    this.#maskedUntil -= safe;
    return Buffer.concat(out);
  }
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}
