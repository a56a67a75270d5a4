/** The middle of some figures, and the two quarters' borders around it. */
export interface Summary {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
  readonly count: number;
}

/** Median and quartiles, interpolated between neighbours. Throws for no figures. */
export function summarize(figures: readonly number[]): Summary {
  const sorted = figures.toSorted((a, b) => a - b);
  return { median: at(sorted, 0.5), lower: at(sorted, 0.25), upper: at(sorted, 0.75), count: sorted.length };
}

/** The figure below which that part of them lies, interpolated between neighbours: 0.99 for the 99th percentile. Throws for none. */
export function quantile(figures: readonly number[], part: number): number {
  return at(
    figures.toSorted((a, b) => a - b),
    part,
  );
}

/** A figure against its baseline, measured in turns within one run. */
export interface Comparison {
  readonly measured: Summary;
  readonly baseline: Summary;
  /** The medians' ratio. */
  readonly ratio: number;
  /** Each sample against the baseline sample that was taken right beside it: what the machine's load does to both cancels out. */
  readonly paired: Summary;
}

/** Compares figures with the baseline figures of the same rounds. */
export function compare(measured: readonly number[], baseline: readonly number[]): Comparison {
  const [a, b] = [summarize(measured), summarize(baseline)];
  const pairs = measured.map((figure, round) => figure / (baseline[round] ?? Number.NaN));
  return { measured: a, baseline: b, ratio: a.median / b.median, paired: summarize(pairs) };
}

/** The slope of the straight line through points (least squares), in units of y per unit of x. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const spread = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  return points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0) / spread;
}

function at(sorted: readonly number[], part: number): number {
  const position = (sorted.length - 1) * part;
  const [low, high] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
  if (low === undefined || high === undefined) throw new Error('a summary needs figures');
  return low + (high - low) * (position - Math.floor(position));
}
