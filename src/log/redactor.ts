import { AhoCorasick } from './aho-corasick.ts';
import { secretForms } from './secret-forms.ts';

/** Replaces everything hidden. */
const MASK = Buffer.from('***');

/** Secrets with a limited lifetime, such as a job's, or a token until its renewal. */
export interface SecretScope {
  /** Also hides `values` from now on, including in text that open streams still hold back. */
  add(values: Iterable<string>): void;
  /** Stops hiding the scope's values, unless another scope has them. What streams have already covered stays hidden. */
  forget(): void;
}

/**
 * Hides secret values in text. secret-forms.ts defines a value's forms (lines, line ends, encodings) and which values
 * are too short to hide. Everything covered by any form is hidden; ranges that overlap or touch become one `***`.
 * All scopes share one automaton: separate passes would reveal the rest of a secret that contains another.
 */
export class Redactor {
  /** Each scope's forms. */
  readonly #scopes = new Set<Set<string>>();
  readonly #own = this.scope();
  #automaton: AhoCorasick | undefined;

  /** Hides `values` for the redactor's lifetime. */
  add(values: Iterable<string>): void {
    this.#own.add(values);
  }

  /** Opens a scope for secrets with a shorter lifetime than the redactor's. */
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

  /** Returns a function that receives successive values of a secret; the latest `kept` are hidden. */
  recent(kept: number): (value: string) => void {
    const scopes = new Map<string, SecretScope>();
    return (value) => {
      const scope = scopes.get(value) ?? this.scope();
      scope.add([value]);
      // Reinserted as the latest.
      scopes.delete(value);
      scopes.set(value, scope);
      const [oldest] = scopes;
      if (scopes.size <= kept || oldest === undefined) return;
      scopes.delete(oldest[0]);
      oldest[1].forget();
    };
  }

  /** Redacts a complete text. */
  text(value: string): string {
    const stream = this.stream();
    return Buffer.concat([stream.push(Buffer.from(value)), stream.end()]).toString();
  }

  /** Redacts a text that arrives in chunks, split anywhere. */
  stream(): RedactionStream {
    return new RedactionStream(() => this.#current());
  }

  /** The automaton for all scopes, built lazily. */
  #current(): AhoCorasick {
    this.#automaton ??= new AhoCorasick([...this.#scopes].flatMap((held) => [...held]));
    return this.#automaton;
  }
}

/**
 * Redacts one text. Between calls it holds back only a tail that may begin a secret, shorter than the longest secret
 * and released as soon as further text rules that out; a mask is emitted as soon as it is certain.
 */
export class RedactionStream {
  readonly #current: () => AhoCorasick;
  /** The tail that may begin a secret. All positions below count from its start. */
  #held = Buffer.alloc(0);
  /** The end of the last emitted mask; negative if it precedes the held text. */
  #maskedUntil = -1;
  /** Ranges to hide that begin in the held text, even once their scope is forgotten: sorted, disjoint, not touching. */
  #covered: Range[] = [];

  /** @param current returns the automaton to use; create streams with `Redactor.stream()` */
  constructor(current: () => AhoCorasick) {
    this.#current = current;
  }

  /** Adds a chunk and returns the text now certain, redacted; `bytes` itself if nothing is hidden or held. */
  push(bytes: Buffer): Buffer {
    const input = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const open = this.#cover(input);
    if (open === 0 && input === bytes && this.#covered.length === 0 && this.#maskedUntil < 0) return bytes;
    return this.#release(input, input.length - open);
  }

  /** Returns the rest, redacted, and resets the stream. */
  end(): Buffer {
    this.#cover(this.#held);
    const rest = this.#release(this.#held, this.#held.length);
    this.#maskedUntil = -1;
    return rest;
  }

  /** Finds secrets in `input`, new ones also in its held text. Returns how many bytes at the end may begin another. */
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

  /** Emits `input` up to `safe`, before which no open secret begins, and holds the rest. */
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
    // A copy: the caller may reuse its buffer.
    this.#held = Buffer.from(input.subarray(safe));
    this.#maskedUntil -= safe;
    return Buffer.concat(out);
  }
}

interface Range {
  readonly start: number;
  end: number;
}
