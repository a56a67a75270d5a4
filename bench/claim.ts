/** The options of every measurement. */
export interface BenchOptions {
  /** The folder with the built programs `action/` and `agent/`. */
  readonly dist: string;
  /** Rounds to measure; each claim has its own default. */
  readonly samples?: number;
  /** A checkout of google-github-actions/auth, the baseline for the action's start. */
  readonly auth?: string;
  /** The job image. */
  readonly image: string;
  /** Called with a line about the progress. */
  readonly progress: (line: string) => void;
}

/** One row of the table. */
export interface Figure {
  readonly what: string;
  /** As the table shows it: `≤ 3.0 ×`; absent where a figure has no target. */
  readonly target?: string;
  readonly got: string;
  /** Whether the target was met; absent without a target. */
  readonly met?: boolean;
  /** The medians and quartiles of product and baseline. */
  readonly quartiles: string;
  /** The number of samples. */
  readonly n: number;
}

/** A claim about the product's performance, and how to measure it. */
export interface Claim {
  readonly name: string;
  readonly measure: (options: BenchOptions) => Promise<Figure[]>;
}
