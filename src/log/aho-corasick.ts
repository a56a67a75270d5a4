/** States with a full row of transitions: 1 MiB, and deeper than text without secrets usually gets. */
const MAX_DENSE = 1_024;

/**
 * Finds all occurrences of many patterns in UTF-8 text (Aho and Corasick, 1975), in one pass and in time linear in the
 * text, whatever the patterns.
 *
 * States are numbered in breadth-first order. The first ones, where nearly all time is spent, have a full row of
 * transitions; deeper ones have only their children and a failure link, so memory grows only with the patterns' length.
 */
export class AhoCorasick {
  /** Children of state s are the states from firstChild[s] up to firstChild[s + 1]; each is entered by its own byte. */
  readonly #firstChild: Int32Array;
  readonly #byte: Uint8Array;
  readonly #fail: Int32Array;
  readonly #depth: Int32Array;
  /** Length of the longest pattern that ends in the state, 0 for none. */
  readonly #longest: Int32Array;
  /** How many states have a row; 0 during construction. */
  #dense = 0;
  /** Their rows: the next state for each byte. */
  #table = new Int32Array(0);

  /** @param patterns without the empty string */
  constructor(patterns: readonly string[]) {
    // Each character of these strings is a byte.
    const sorted = [...new Set(patterns.map((pattern) => Buffer.from(pattern).toString('latin1')))].toSorted();
    const bound = sorted.reduce((sum, pattern) => sum + pattern.length, 1);
    this.#firstChild = new Int32Array(bound + 1);
    this.#byte = new Uint8Array(bound);
    this.#fail = new Int32Array(bound);
    this.#depth = new Int32Array(bound);
    this.#longest = new Int32Array(bound);
    this.#fill(Math.min(this.#grow(sorted, bound), MAX_DENSE));
  }

  /** Calls `found` with the longest match at each index. Returns how many bytes at the end may begin another. */
  scan(text: Uint8Array, found: (end: number, length: number) => void): number {
    const [table, dense, lengths] = [this.#table, this.#dense, this.#longest];
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      const byte = text[at] as number;
      state = state < dense ? (table[state * 256 + byte] as number) : this.#step(state, byte);
      const length = lengths[state] as number;
      if (length > 0) found(at + 1, length);
    }
    return this.#depth[state] as number;
  }

  /** Builds the states, each standing for the range of sorted patterns with its prefix. Returns their number. */
  #grow(sorted: readonly string[], bound: number): number {
    const low = new Int32Array(bound);
    const high = new Int32Array(bound);
    high[0] = sorted.length;
    let states = 1;
    for (let state = 0; state < states; state++) {
      const depth = this.#depth[state] as number;
      const end = high[state] as number;
      let from = low[state] as number;
      this.#firstChild[state] = states;
      this.#longest[state] = this.#longest[this.#fail[state] as number] as number;
      if (from < end && sorted[from]?.length === depth) {
        this.#longest[state] = depth;
        from++;
      }
      while (from < end) {
        const byte = sorted[from]?.charCodeAt(depth) as number;
        let to = from + 1;
        while (to < end && sorted[to]?.charCodeAt(depth) === byte) to++;
        low[states] = from;
        high[states] = to;
        this.#depth[states] = depth + 1;
        this.#byte[states] = byte;
        // The link's target is shallower, so its children exist by now; the root's children link to the root.
        this.#fail[states] = state === 0 ? 0 : this.#step(this.#fail[state] as number, byte);
        states++;
        from = to;
      }
    }
    this.#firstChild[states] = states;
    return states;
  }

  /** One transition, following failure links. */
  #step(state: number, byte: number): number {
    for (let current = state; ; current = this.#fail[current] as number) {
      if (current < this.#dense) return this.#table[current * 256 + byte] as number;
      const end = this.#firstChild[current + 1] as number;
      for (let child = this.#firstChild[current] as number; child < end; child++) {
        if (this.#byte[child] === byte) return child;
      }
      if (current === 0) return 0;
    }
  }

  /** Gives the first `dense` states a full row each. */
  #fill(dense: number): void {
    const table = new Int32Array(dense * 256);
    for (let state = 0; state < dense; state++) {
      const inherited = (this.#fail[state] as number) * 256;
      if (state > 0) table.copyWithin(state * 256, inherited, inherited + 256);
      const end = this.#firstChild[state + 1] as number;
      for (let child = this.#firstChild[state] as number; child < end; child++) {
        table[state * 256 + (this.#byte[child] as number)] = child;
      }
    }
    this.#table = table;
    this.#dense = dense;
  }
}
