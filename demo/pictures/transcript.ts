/** What the demo printed, and when. */

export interface Printed {
  /** Since the demo's start. */
  readonly seconds: number;
  readonly line: string;
}

/** The margin of the job's console in the demo's output. */
const MARGIN = '  │ ';

/** The console of the demo's job, of its main phase, with all groups folded. */
export function consoleOf(printed: readonly Printed[]): string[] {
  const lines = printed.map(({ line }) => line);
  const main = lines.slice(lines.indexOf('  ┌ main') + 1, lines.indexOf('  ├ post'));
  return main.map((line) => line.slice(MARGIN.length)).filter((line) => !line.startsWith('  '));
}

/** The demo's output from the line on that has this text. */
export function since(printed: readonly Printed[], line: string): string[] {
  const lines = printed.map((each) => each.line);
  return lines.slice(lines.indexOf(line));
}

/** A state of the screen in the animation: so many lines are printed, for so long. */
export interface Moment {
  readonly lines: number;
  readonly seconds: number;
}

/** In seconds: readers see no state for a shorter time than this. */
const SHORTEST = 0.2;
/** In seconds: where nothing happens for longer, the animation goes on. */
const LONGEST = 0.7;
/** In seconds: all states together. */
const MOST = 12;

/** The states of the screen, in the demo's own order and pace between these limits. */
export function momentsOf(printed: readonly Printed[]): Moment[] {
  const waits = printed.map(({ seconds }, index) => {
    const next = printed[index + 1]?.seconds ?? Number.POSITIVE_INFINITY;
    return Math.min(LONGEST, next - seconds);
  });
  const pace = Math.min(1, MOST / waits.reduce((sum, wait) => sum + wait, 0));
  const moments: Moment[] = [];
  let lasts = 0;
  waits.forEach((wait, index) => {
    lasts += wait * pace;
    if (lasts < SHORTEST) return;
    moments.push({ lines: index + 1, seconds: lasts });
    lasts = 0;
  });
  return moments;
}
