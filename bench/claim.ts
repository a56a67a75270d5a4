/** What every claim is measured with. */
export interface BenchOptions {
  /** The folder with the built programs `action/` and `agent/`. */
  readonly dist: string;
  /** Rounds to measure; each claim has a number of its own unless it is given. */
  readonly samples?: number;
  /** A checkout of google-github-actions/auth, to measure the action's start against. */
  readonly auth?: string;
  /** The job image. */
  readonly image: string;
  /** Told what is being done. */
  readonly progress: (line: string) => void;
}

/** One line of the table. */
export interface Figure {
  readonly what: string;
  /** As the table shows it: `≤ 3.0 ×`; absent where a figure is only told. */
  readonly reach?: string;
  readonly got: string;
  /** Whether the reach was met; absent where there is none. */
  readonly met?: boolean;
  /** Median, quartiles and number of the figures behind it. */
  readonly detail: string;
}

/** Something the product claims, and how it is measured. */
export interface Claim {
  readonly name: string;
  readonly measure: (options: BenchOptions) => Promise<Figure[]>;
}
