/** Entries the dense table may hold (4 bytes each): 1 MiB keeps every shallow state in reach of one load, and is filled in a millisecond. */
const DENSE_ENTRIES = 2 ** 18;

/** Called for each place where a pattern ends: the index after its last byte and the longest such pattern's length. */
export type PatternFound = (end: number, length: number) => void;

/**
 * Finds all occurrences of many texts in UTF-8, in one pass (Aho and Corasick, 1975), in time linear in the text whatever the patterns are.
 *
 * States are numbered in breadth-first order. The first ones, where nearly all time is spent, have a full row of transitions;
 * the deep ones only know their children and a failure link, so that memory grows with the patterns' length alone.
 */
export class AhoCorasick {
  /** The class of every byte; 0 = in no pattern. */
  readonly #classOf = new Int32Array(2 ** 8);
  readonly #width: number;
  /** Children of state s are the states firstChild[s] up to firstChild[s + 1], ordered by their class. */
  readonly #firstChild: Int32Array;
  readonly #label: Int32Array;
  readonly #fail: Int32Array;
  readonly #depth: Int32Array;
  /** Length of the longest pattern that ends in the state, 0 for none. */
  readonly #longest: Int32Array;
  /** How many states have a row; none while the automaton is being built. */
  #dense = 0;
  /** Rows of `width` entries: the next row's offset, or ~state when that state needs a closer look. */
  #table = new Int32Array(0);

  /** @param patterns without the empty string */
  constructor(patterns: readonly string[]) {
    // Each character of these strings is a byte.
    const sorted = [...new Set(patterns.map((pattern) => Buffer.from(pattern).toString('latin1')))].toSorted();
    const bound = sorted.reduce((sum, pattern) => sum + pattern.length, 1);
    this.#firstChild = new Int32Array(bound + 1);
    this.#label = new Int32Array(bound);
    this.#fail = new Int32Array(bound);
    this.#depth = new Int32Array(bound);
    this.#longest = new Int32Array(bound);
    this.#width = this.#classify(sorted);
    const states = this.#grow(sorted, bound);
    this.#fill(Math.min(states, Math.max(1, Math.floor(DENSE_ENTRIES / this.#width))));
  }

  /** How many bytes before the current position may still be a pattern's beginning. */
  depth(state: number): number {
    return this.#depth[state] as number;
  }

  /** Runs over `text` from `state` (0 at the start) and returns the state after it. Ends are counted within `text`. */
  scan(text: Uint8Array, state: number, found: PatternFound): number {
    const table = this.#table;
    const classOf = this.#classOf;
    const length = text.length;
    let current = state;
    let at = 0;
    while (at < length) {
      if (current < this.#dense) {
        let row = current * this.#width;
        let next = 0;
        while (at < length) {
          next = table[row + (classOf[text[at] as number] as number)] as number;
          if (next < 0) break;
          row = next;
          at++;
        }
        if (at === length) return row / this.#width;
        current = ~next;
      } else {
        current = this.#step(current, classOf[text[at] as number] as number);
      }
      at++;
      const longest = this.#longest[current] as number;
      if (longest > 0) found(at, longest);
    }
    return current;
  }

  #classify(patterns: readonly string[]): number {
    let classes = 1;
    for (const pattern of patterns) {
      for (let at = 0; at < pattern.length; at++) {
        const code = pattern.charCodeAt(at);
        if (this.#classOf[code] === 0) this.#classOf[code] = classes++;
      }
    }
    return classes;
  }

  /** Makes the states. A state stands for the range of sorted patterns that share its prefix. Returns how many there are. */
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
        const code = sorted[from]?.charCodeAt(depth) as number;
        let to = from + 1;
        while (to < end && sorted[to]?.charCodeAt(depth) === code) to++;
        const label = this.#classOf[code] as number;
        low[states] = from;
        high[states] = to;
        this.#depth[states] = depth + 1;
        this.#label[states] = label;
        // The link's target is shallower, so its own children are known by now; the root's children link to the root.
        this.#fail[states] = state === 0 ? 0 : this.#step(this.#fail[state] as number, label);
        states++;
        from = to;
      }
    }
    this.#firstChild[states] = states;
    return states;
  }

  /** One transition by way of the failure links. */
  #step(state: number, label: number): number {
    let current = state;
    for (;;) {
      if (current < this.#dense) {
        const next = this.#table[current * this.#width + label] as number;
        return next < 0 ? ~next : next / this.#width;
      }
      const end = this.#firstChild[current + 1] as number;
      for (let child = this.#firstChild[current] as number; child < end; child++) {
        if (this.#label[child] === label) return child;
      }
      if (current === 0) return 0;
      current = this.#fail[current] as number;
    }
  }

  /** Gives the first `dense` states a full row each. */
  #fill(dense: number): void {
    const width = this.#width;
    const table = new Int32Array(dense * width);
    for (let state = 0; state < dense; state++) {
      const row = state * width;
      if (state > 0) {
        const inherited = (this.#fail[state] as number) * width;
        table.copyWithin(row, inherited, inherited + width);
      }
      const end = this.#firstChild[state + 1] as number;
      for (let child = this.#firstChild[state] as number; child < end; child++) {
        const plain = child < dense && this.#longest[child] === 0;
        table[row + (this.#label[child] as number)] = plain ? child * width : ~child;
      }
    }
    this.#table = table;
    this.#dense = dense;
  }
}
