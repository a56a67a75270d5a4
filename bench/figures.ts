import { messageOf } from '../src/base/outcome.ts';
import type { Figure } from './claim.ts';

/** A limit: at most or at least `figure`. */
interface Target {
  readonly figure: number;
  readonly is: '≤' | '≥';
}

/** The median. @throws Error if there are no figures */
export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5);
}

/** The quantile at `part` (0 to 1), interpolated between neighbours. @throws Error if there are no figures */
export function quantile(figures: readonly number[], part: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * part;
  const [low, high] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
  if (low === undefined || high === undefined)
    throw new Error('Failed to summarize figures: there are none.');
  return low + (high - low) * (position - Math.floor(position));
}

/** Median and quartiles: `7.0 [6.1–8.2]`. */
export function spread(figures: readonly number[], digits = 1): string {
  const [lower, middle, upper] = [0.25, 0.5, 0.75].map((part) => quantile(figures, part).toFixed(digits));
  return `${middle} [${lower}–${upper}]`;
}

interface RatioOptions {
  readonly target: Target;
  readonly unit: string;
  readonly digits: number;
  /** Whether each sample was taken right next to one of the baseline; true by default. */
  readonly isPaired: boolean;
}

/** Compares a median with a baseline's from the same rounds; in paired ratios, the machine's load cancels out. */
export function ratioFigure(
  what: string,
  measured: readonly number[],
  baseline: readonly number[],
  { target, unit = 'ms', digits = 1, isPaired = true }: Partial<RatioOptions> = {},
): Figure {
  const ratio = median(measured) / median(baseline);
  const pairs = measured.map((figure, round) => figure / (baseline[round] ?? Number.NaN));
  const beside = isPaired ? `; side by side ${spread(pairs, 2)}` : '';
  return {
    what,
    ...aimed(ratio, '×', 2, target),
    quartiles: `${spread(measured, digits)} / ${spread(baseline, digits)} ${unit}${beside}`,
    n: measured.length,
  };
}

/** Sums samples up in one figure: the quantile `of`, 1 for the maximum; the median by default. */
export function sampleFigure(
  what: string,
  samples: readonly number[],
  {
    target,
    unit,
    digits = 0,
    of = 0.5,
  }: { readonly target?: Target; readonly unit: string; readonly digits?: number; readonly of?: number },
): Figure {
  return {
    what,
    ...aimed(quantile(samples, of), unit, digits, target),
    quartiles: `${spread(samples, digits)} ${unit}`,
    n: samples.length,
  };
}

/** States whether all of `n` went as they should; `wrong` has a sentence for each that didn't. */
export function allFigure(what: string, wrong: readonly string[], n: number): Figure {
  const met = wrong.length === 0;
  return {
    what,
    target: 'all',
    got: met ? 'all' : `${wrong.length} wrong`,
    met,
    quartiles: wrong.slice(0, 3).join('; ') || '–',
    n,
  };
}

/** The row of a claim whose measurement failed. */
export function unmeasured(claim: string, error: unknown): Figure {
  return {
    what: claim,
    target: 'measured',
    got: 'not measured',
    met: false,
    quartiles: messageOf(error),
    n: 0,
  };
}

/** The sentence for a missed target. */
export function missOf({ what, target, got, quartiles, n }: Figure): string {
  return `Missed: ${what} is to be ${target}, and was ${got} (${quartiles}; n=${n}).`;
}

/** The table of docs/internals/bench.md, with missed targets in bold. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, target = '–', got, met, quartiles, n }) => {
    const cells = [what, target, met === false ? `**${got}**` : got, quartiles, String(n)];
    return `|${cells.map((cell) => cell.replaceAll('|', '\\|')).join('|')}|`;
  });
  return ['|Claim|Target|Got|Median [quartiles]|n|', '|---|---|---|---|---|', ...rows].join('\n');
}

function aimed(
  figure: number,
  unit: string,
  digits: number,
  target?: Target,
): Pick<Figure, 'got' | 'target' | 'met'> {
  const got = `${figure.toFixed(digits)} ${unit}`;
  if (target === undefined) return { got };
  const met = target.is === '≤' ? figure <= target.figure : figure >= target.figure;
  return { got, target: `${target.is} ${target.figure.toFixed(digits)} ${unit}`, met };
}

/** A target that a figure must not exceed. */
export function atMost(figure: number): { readonly target: Target } {
  return { target: { figure, is: '≤' } };
}

/** A target that a figure must reach. */
export function atLeast(figure: number): { readonly target: Target } {
  return { target: { figure, is: '≥' } };
}
