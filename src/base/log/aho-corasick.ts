import { IS_NOTABLE } from './invisible-text.ts';

/**
 * States with a full row of transitions: 1 MiB, and deeper than text without secrets usually gets.
 */
const MAX_DENSE = 1_024;

/**
 * Finds all occurrences of many patterns in UTF-8 text (Aho and Corasick, 1975), in one pass and in
 * time linear in the text, whatever the patterns. This is the machine; `scan.ts` takes it through a
 * text.
 *
 * States are numbered in breadth-first order. The first ones, where nearly all time is spent, have
 * a full row of transitions; deeper ones have only their children and a failure link, so memory
 * grows only with the patterns' length.
 */
export class AhoCorasick {
  /**
   * Children of state s are the states from firstChild[s] up to firstChild[s + 1]; each is entered
   * by its own byte.
   */
  readonly #firstChild: Int32Array;
  readonly #byte: Uint8Array;
  /** The state of the longest shorter end of the same text. */
  readonly fail: Int32Array;
  /** Length of the text that a state stands for. */
  readonly depth: Int32Array;
  /** Length of the longest pattern that ends in the state, 0 for none. */
  readonly longest: Int32Array;
  /**
   * The state of the longest end of the same text that begins, and isn't, a pattern that can be
   * wrapped.
   */
  readonly wrapped: Int32Array;
  /** Length of the longest such pattern that ends in the state, 0 for none. */
  readonly longestWrapped: Int32Array;
  /** How many states have a row; 0 during construction. */
  dense = 0;
  /**
   * Their rows: the next state for each byte, as `~next` where a match, a notable byte or a state
   * without row asks for care.
   */
  table = new Int32Array(0);

  /**
   * @param patterns without the empty string; those also in `wrapped` can be wrapped, and are ASCII
   */
  constructor(patterns: ReadonlySet<string>, wrapped: ReadonlySet<string>) {
    // Each character of these strings is a byte.
    const sorted = [...patterns].map((pattern) => Buffer.from(pattern).toString('latin1')).toSorted();
    const bound = sorted.reduce((sum, pattern) => sum + pattern.length, 1);

    this.#firstChild = new Int32Array(bound + 1);
    this.#byte = new Uint8Array(bound);
    this.fail = new Int32Array(bound);
    this.depth = new Int32Array(bound);
    this.longest = new Int32Array(bound);
    this.wrapped = new Int32Array(bound);
    this.longestWrapped = new Int32Array(bound);
    this.#fill(Math.min(this.#grow(sorted, wrapped, bound), MAX_DENSE));
  }

  /** The state after `byte`. */
  next(state: number, byte: number): number {
    for (let current = state; ; current = this.fail[current] as number) {
      if (current < this.dense) {
        const next = this.table[current * 256 + byte] as number;
        return next < 0 ? ~next : next;
      }

      const end = this.#firstChild[current + 1] as number;
      for (let child = this.#firstChild[current] as number; child < end; child++) {
        if (this.#byte[child] === byte) return child;
      }
      if (current === 0) return 0;
    }
  }

  /**
   * Builds the states, each standing for the range of sorted patterns with its prefix. Returns
   * their number.
   */
  #grow(sorted: readonly string[], wrapped: ReadonlySet<string>, bound: number): number {
    const low = new Int32Array(bound);
    const high = new Int32Array(bound);

    high[0] = sorted.length;

    /** How many of the patterns before each can be wrapped. */
    const wrappable = new Int32Array(sorted.length + 1);
    for (const [index, pattern] of sorted.entries())
      wrappable[index + 1] = (wrappable[index] as number) + (wrapped.has(pattern) ? 1 : 0);

    let states = 1;
    for (let state = 0; state < states; state++) {
      const depth = this.depth[state] as number;
      const end = high[state] as number;
      let from = low[state] as number;
      const fail = this.fail[state] as number;

      this.#firstChild[state] = states;
      this.longest[state] = this.longest[fail] as number;
      this.longestWrapped[state] = this.longestWrapped[fail] as number;

      if (from < end && sorted[from]?.length === depth) {
        this.longest[state] = depth;
        if (wrapped.has(sorted[from] as string)) this.longestWrapped[state] = depth;
        from++;
      }

      const begins = (wrappable[end] as number) > (wrappable[from] as number);
      this.wrapped[state] = begins ? state : (this.wrapped[fail] as number);

      while (from < end) {
        const byte = sorted[from]?.charCodeAt(depth) as number;
        let to = from + 1;

        while (to < end && sorted[to]?.charCodeAt(depth) === byte) to++;
        low[states] = from;
        high[states] = to;
        this.depth[states] = depth + 1;
        this.#byte[states] = byte;

        // The link's target is shallower, so its children exist by now; the root's children link to
        // the root.
        this.fail[states] = state === 0 ? 0 : this.next(fail, byte);
        states++;
        from = to;
      }
    }

    this.#firstChild[states] = states;

    return states;
  }

  /** Gives the first `dense` states a full row each. */
  #fill(dense: number): void {
    const table = new Int32Array(dense * 256);
    for (const [byte, isNotable] of IS_NOTABLE.entries()) if (isNotable === 1) table[byte] = ~0;

    for (let state = 0; state < dense; state++) {
      const inherited = (this.fail[state] as number) * 256;
      if (state > 0) table.copyWithin(state * 256, inherited, inherited + 256);
      const end = this.#firstChild[state + 1] as number;
      for (let child = this.#firstChild[state] as number; child < end; child++) {
        const byte = this.#byte[child] as number;
        const asksForCare = child >= dense || this.longest[child] !== 0 || IS_NOTABLE[byte] === 1;
        table[state * 256 + byte] = asksForCare ? ~child : child;
      }
    }

    this.table = table;
    this.dense = dense;
  }
}
