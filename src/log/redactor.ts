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
  /** The forms that each scope holds. */
  readonly #scopes = new Set<Set<string>>();
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
        const before = held.size;
        for (const form of [...values].flatMap(secretForms)) held.add(form);
        this.#scopes.add(held);
        if (held.size > before) this.#automaton = undefined;
      },
      forget: () => {
        held.clear();
        this.#scopes.delete(held);
        this.#automaton = undefined;
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
    this.#automaton ??= new AhoCorasick([...this.#scopes].flatMap((held) => [...held]));
    return this.#automaton;
  }
}

/**
 * One text on its way through the redactor. Between two calls it holds back only the tail that is a secret's beginning, which is
 * shorter than the longest secret and is let go as soon as later text disproves it; a mask goes out as soon as it is certain.
 */
export class RedactionStream {
  readonly #current: () => AhoCorasick;
  /** The tail that may be a secret's beginning. All positions below count from its start. */
  #held = Buffer.alloc(0);
  /** Up to here the text is covered by a mask that is out already; negative when the last mask lies further back. */
  #maskedUntil = -1;
  /** Covered stretches that begin inside the held text, and stay covered though all forget why: disjoint, in order, not touching. */
  #covered: Stretch[] = [];

  /** @param current gives the automaton to use from now on; streams are made by `Redactor.stream()` */
  constructor(current: () => AhoCorasick) {
    this.#current = current;
  }

  /** Takes the next piece and returns what is settled by it, redacted: `bytes` itself where nothing is hidden or held. */
  push(bytes: Buffer): Buffer {
    const input = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const open = this.#cover(input);
    if (open === 0 && input === bytes && this.#covered.length === 0 && this.#maskedUntil < 0) return bytes;
    return this.#release(input, input.length - open);
  }

  /** Returns the rest, redacted. The stream is then as new. */
  end(): Buffer {
    this.#cover(this.#held);
    const rest = this.#release(this.#held, this.#held.length);
    this.#maskedUntil = -1;
    return rest;
  }

  /** Covers the secrets in `input`, the held text included: it may hold one that is new. Returns how much of its end is still open. */
  #cover(input: Buffer): number {
    const found = this.#covered;
    const open = this.#current().scan(input, (end, length) => found.push({ start: end - length, end }));
    this.#covered = [];
    for (const { start, end } of found.toSorted((a, b) => a.start - b.start)) {
      const last = this.#covered.at(-1);
      if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
      else this.#covered.push({ start, end });
    }
    return open;
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
  end: number;
}
