import type { Figure } from './claim.ts';
import { type Comparison, type Summary, summarize } from './statistics.ts';

/** A ratio to a baseline, in milliseconds, as a line of the table; `most` is the reach. */
export function ratioFigure(
  what: string,
  against: string,
  { measured, baseline, ratio, paired }: Comparison,
  most?: number,
): Figure {
  return {
    what: `${what}, against ${against}`,
    got: `${ratio.toFixed(2)} ×`,
    detail: `${spread(measured)} / ${spread(baseline)} ms; side by side ${spread(paired, 2)}; n=${measured.count}`,
    ...(most === undefined ? {} : { reach: `≤ ${most.toFixed(2)} ×`, met: ratio <= most }),
  };
}

/** A time in milliseconds, as a line of the table: its median, which is to be `mostMs` at most. */
export function timeFigure(what: string, times: readonly number[], mostMs: number): Figure {
  const summary = summarize(times);
  return {
    what,
    reach: `≤ ${mostMs} ms`,
    got: `${summary.median.toFixed(0)} ms`,
    met: summary.median <= mostMs,
    detail: `${spread(summary)} ms; n=${summary.count}`,
  };
}

/** How much a figure has grown from some samples to later ones, by their medians; `most` is the reach. */
export function growthFigure(
  what: string,
  later: readonly number[],
  earlier: readonly number[],
  { most, unit }: { readonly most: number; readonly unit: string },
): Figure {
  const [after, before] = [summarize(later), summarize(earlier)];
  const growth = after.median / before.median;
  return {
    what,
    reach: `≤ ${most.toFixed(2)} ×`,
    got: `${growth.toFixed(2)} ×`,
    met: growth <= most,
    detail: `${spread(after, 2)} / ${spread(before, 2)} ${unit}; n=${after.count}`,
  };
}

/** The median and the middle half of the figures. */
export function spread({ median, lower, upper }: Summary, digits = 1): string {
  return `${median.toFixed(digits)} [${lower.toFixed(digits)}–${upper.toFixed(digits)}]`;
}

/** The table, as text. */
export function table(figures: readonly Figure[]): string {
  const rows = [
    ['', 'reach', 'got', ''],
    ...figures.map(({ what, reach, got, met }) => [what, reach ?? '', got, mark(met)]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.flatMap((line, row) => (row === 0 ? [line] : [line, `    ${figures[row - 1]?.detail}`])).join('\n');
}

/** The table as docs/bench.md has it; a miss is bold. */
export function markdown(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, reach = '–', got, met, detail }) => {
    const cells = [what, reach, met === false ? `**${got}**` : got, detail];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| Claim | Reach | Got | Medians [quartiles] |', '|---|---|---|---|', ...rows].join('\n');
}

function mark(met: boolean | undefined): string {
  return met === undefined ? '' : met ? '✔' : '✘';
}
