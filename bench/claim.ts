/** What every claim is measured with. */
export interface BenchOptions {
  /** The folder with the built programs `action/` and `agent/`. */
  readonly dist: string;
  /** Rounds to measure; each claim has a number of its own unless it is given. */
  readonly samples?: number;
  /** A checkout of google-github-actions/auth, which the action's start is measured against. */
  readonly auth?: string;
  /** The job image. */
  readonly image: string;
  /** Called with what is being done. */
  readonly progress: (line: string) => void;
}

/** One row of the table. */
export interface Figure {
  readonly what: string;
  /** As the table shows it: `≤ 3.0 ×`; absent where a figure is only shown. */
  readonly target?: string;
  readonly got: string;
  /** Whether the target was met; absent where there is none. */
  readonly met?: boolean;
  /** Median and quartiles behind it, of product and baseline. */
  readonly quartiles: string;
  /** How many samples that are. */
  readonly n: number;
}

/** Something the product claims, and how it is measured. */
export interface Claim {
  readonly name: string;
  readonly measure: (options: BenchOptions) => Promise<Figure[]>;
}
