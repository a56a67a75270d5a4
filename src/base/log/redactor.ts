/*
 * base/log/: text from elsewhere, on its way to a log.
 *
 * Secrets: plain-names.ts and credential-shape.ts say which variables hold one, configured-secrets.ts which settings do;
 * secret-forms.ts lists the texts that reveal one. This file hides them, with scan.ts, which reads the text, and
 * aho-corasick.ts, which knows all forms at once. invisible-text.ts: the characters that
 * neither a reader nor the redactor sees.
 * Display: plain-text.ts makes text safe to show.
 * A step's log: step-log.ts redacts its output, step-file.ts keeps it on disk. level.ts and outage.ts: the agent's own log.
 */

import { AhoCorasick } from './aho-corasick.ts';
import { Scan, type Tail } from './scan.ts';
import { secretForms } from './secret-forms.ts';

/** Replaces everything hidden. */
const MASK = Buffer.from('***');

/**
 * The opener of an escape sequence, such as a colour, and the sequence that resets colours after a
 * mask over one.
 */
const ESCAPES = ['\u001b', '\u009b'];
const RESET = Buffer.from('\u001b[0m');

/** The size of a form, besides one for each character. */
const FORM_COST = 40;

/**
 * How much of the redactor's memory a job's definition can take, in the units of `SecretSink.add`:
 * 120 MB, and under a second to build its machine, for which heartbeats wait.
 */
export const MOST_OF_DEFINITION = 4 * 1024 * 1024;

/** Takes secrets to hide. */
export interface SecretSink {
  /**
   * Also hides `values` from now on, including in text that open streams still hold back. Returns
   * the size of their new forms, in units of some 30 bytes of memory; undefined, and none is added,
   * if that is more than `most`.
   */
  add(values: Iterable<string>, most?: number): number | undefined;
}

/** Secrets with a limited lifetime, such as a job's, or a token until its renewal. */
export interface SecretScope extends SecretSink {
  /**
   * Stops hiding the scope's values, unless another scope has them. What streams have already
   * covered stays hidden.
   */
  forget(): void;
}

/**
 * Hides secret values in text. secret-forms.ts defines a value's forms (lines, line ends,
 * encodings) and which values are too short to hide. Everything covered by any form is hidden;
 * ranges that overlap or touch become one `***`. All scopes share one automaton: separate passes
 * would reveal the rest of a secret that contains another.
 */
export class Redactor {
  /** Each scope's forms; true for those that can be wrapped. */
  readonly #scopes = new Set<Map<string, boolean>>();
  readonly #own = this.scope();
  #automaton: AhoCorasick | undefined;

  /** Hides `values` for the redactor's lifetime. */
  add(values: Iterable<string>): number | undefined {
    return this.#own.add(values);
  }

  /** Opens a scope for secrets with a shorter lifetime than the redactor's. */
  scope(): SecretScope {
    const forms = new Map<string, boolean>();
    return {
      add: (values, most = Number.POSITIVE_INFINITY) => {
        const additions = new Map<string, boolean>();
        let size = 0;

        for (const value of values) {
          if (value.length > most) return undefined;

          for (const [form, canWrap] of secretForms(value)) {
            const isWrapped = additions.get(form) ?? forms.get(form);
            // One value may be another's base64: the form can then be wrapped, whichever came
            // first.
            if (isWrapped !== undefined && (isWrapped || !canWrap)) continue;
            additions.set(form, canWrap);
            if (isWrapped === undefined) size += form.length + FORM_COST;
          }

          if (size > most) return undefined;
        }

        for (const [form, canWrap] of additions) forms.set(form, canWrap);
        this.#scopes.add(forms);
        if (additions.size > 0) this.#automaton = undefined;

        return size;
      },
      forget: () => {
        forms.clear();
        this.#scopes.delete(forms);
        this.#automaton = undefined;
      },
    };
  }

  /**
   * Returns a function that receives successive values of a secret; the latest `count` are hidden.
   */
  recent(count: number): (value: string) => void {
    const scopes = new Map<string, SecretScope>();
    return (value) => {
      const scope = scopes.get(value) ?? this.scope();
      scope.add([value]);

      // Reinserted as the latest.
      scopes.delete(value);
      scopes.set(value, scope);

      const [oldest] = scopes;
      if (scopes.size <= count || oldest === undefined) return;

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
    if (this.#automaton !== undefined) return this.#automaton;
    const forms = [...this.#scopes].flatMap((scope) => [...scope]);
    const wrapped = new Set(forms.filter(([, canWrap]) => canWrap).map(([form]) => form));
    this.#automaton = new AhoCorasick(new Set(forms.map(([form]) => form)), wrapped);
    return this.#automaton;
  }
}

/**
 * Redacts one text. Between calls it holds back only a tail that may begin a secret, shorter than
 * the longest secret and `MOST_INVISIBLE`, and an escape sequence that has no end yet; it is
 * released as soon as further text rules a secret out. A mask is emitted as soon as it is certain,
 * and covers the whole of each escape sequence that it touches.
 */
export class RedactionStream {
  readonly #current: () => AhoCorasick;
  #scan: Scan | undefined;
  /** Text to be read once more if secrets change, because one may have begun in it. */
  #rest: Buffer = Buffer.alloc(0);
  /** Its position. All positions count from the whole text's beginning. */
  #start = 0;
  /** The text before this position has been emitted; it is beyond the rest if a mask is. */
  #outputEnd = 0;
  /** A mask ends at `#outputEnd`. */
  #isMasked = false;
  /** It covers escape sequences, whose colours the text after it must not get. */
  #isColoured = false;
  /**
   * Ranges to hide that aren't yet emitted, even once their scope is forgotten: sorted, disjoint,
   * not touching.
   */
  #ranges: Range[] = [];

  /** @param current returns the automaton to use; create streams with `Redactor.stream()` */
  constructor(current: () => AhoCorasick) {
    this.#current = current;
  }

  /**
   * Adds a chunk and returns the text now certain, redacted; `bytes` itself if nothing is hidden or
   * held.
   */
  push(bytes: Buffer): Buffer {
    const isFresh = this.#rest.length === 0 && !this.#isMasked;
    const input = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const tail = this.#cover(input, false);

    if (isFresh && tail.wrappedStart === this.#start + input.length && this.#ranges.length === 0) {
      [this.#start, this.#outputEnd] = [tail.wrappedStart, tail.wrappedStart];
      return bytes;
    }

    const out = this.#release(input, tail);

    // The caller may reuse its buffer.
    if (input === bytes) this.#rest = Buffer.from(this.#rest);

    return out;
  }

  /** Returns the rest, redacted, and resets the stream. */
  end(): Buffer {
    this.#cover(this.#rest, true);
    const end = this.#start + this.#rest.length;
    const output = this.#release(this.#rest, { secretStart: end, wrappedStart: end });
    const all = this.#isColoured ? Buffer.concat([output, RESET]) : output;
    this.#scan = undefined;
    [this.#start, this.#outputEnd] = [0, 0];
    [this.#isMasked, this.#isColoured] = [false, false];
    return all;
  }

  /**
   * Finds secrets in what is new of `input`; in all of it if there are other secrets than before.
   */
  #cover(input: Buffer, isEnd: boolean): Tail {
    const automaton = this.#current();
    if (this.#scan?.automaton !== automaton) this.#scan = new Scan(automaton, this.#start);

    const matches: Range[] = [];
    const tail = this.#scan.read(input, this.#start, isEnd, (start, end) => {
      const last = matches.at(-1);
      // A secret of one character repeated ends at each position of a run.
      if (last !== undefined && last.start <= start && start <= last.end) last.end = Math.max(last.end, end);
      else matches.push({ start, end });
    });

    if (matches.length > 0) {
      const sorted = [...this.#ranges, ...matches].toSorted((a, b) => a.start - b.start);
      this.#ranges = [];
      for (const { start, end } of sorted) {
        const last = this.#ranges.at(-1);
        if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
        else if (end > this.#outputEnd) this.#ranges.push({ start, end });
      }
    }

    return tail;
  }

  /** Emits `input` up to where no open secret begins, and keeps what the tail says. */
  #release(input: Buffer, { secretStart, wrappedStart }: Tail): Buffer {
    const out: Buffer[] = [];
    const between = (from: number, to: number) => input.subarray(from - this.#start, to - this.#start);

    const show = (until: number): void => {
      if (until <= this.#outputEnd) return;
      if (this.#isColoured) out.push(RESET);
      out.push(between(this.#outputEnd, until));
      [this.#outputEnd, this.#isMasked, this.#isColoured] = [until, false, false];
    };

    const ready = this.#ranges.filter(({ start }) => start <= secretStart);

    for (const { start, end } of ready) {
      show(start);
      if (!this.#isMasked) out.push(MASK);
      const text = between(this.#outputEnd, end);
      this.#isColoured ||= ESCAPES.some((opener) => text.includes(opener));
      [this.#outputEnd, this.#isMasked] = [end, true];
    }

    show(secretStart);
    this.#ranges = this.#ranges.slice(ready.length);
    this.#rest = between(wrappedStart, this.#start + input.length);
    this.#start = wrappedStart;

    return Buffer.concat(out);
  }
}

interface Range {
  readonly start: number;
  end: number;
}
