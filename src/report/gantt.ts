import { duration, plainText } from './text.ts';
import type { Bar, Phase, Timeline } from './timeline.ts';

/** More would be a picture that nobody reads; GitHub refuses a diagram of more than 50,000 characters. */
const MAX_BARS = 60;
const MAX_NAME = 60;
/** The least part of the picture's width that is still seen. */
const LEAST_WIDTH = 0.004;

const SECTIONS: Readonly<Record<Phase, string>> = {
  queue: 'Queue',
  preparation: 'Preparation',
  steps: 'Steps',
  reporting: 'Reporting',
};

/** Mermaid's words for how a bar looks. */
const TAGS: Readonly<Record<Bar['status'], string>> = { done: 'done', failed: 'crit', unfinished: 'active' };

/**
 * A timeline as a Mermaid Gantt chart, in a fence that GitHub draws. Times count from the run's start: the chart's dates
 * are those of a day that is read and written in the reader's own time zone, so that it begins at 0 for everybody.
 */
export function ganttOf({ bars, length }: Timeline): string {
  const { interval, format } = axisOf(length);
  const axis = [`axisFormat ${format}`, `tickInterval ${interval}`];
  const lines = ['gantt', 'dateFormat YYYY-MM-DD HH:mm:ss.SSS', ...axis, 'todayMarker off'];
  const half = MAX_BARS / 2;
  const shown = bars.length > MAX_BARS ? [...bars.slice(0, half), ...bars.slice(-half)] : bars;
  let section: Phase | undefined;
  for (const bar of shown) {
    if (bar.phase !== section) lines.push(`section ${SECTIONS[bar.phase]}`);
    section = bar.phase;
    lines.push(barLine(bar, Math.max(1, length * LEAST_WIDTH)));
  }
  const left = bars.length - shown.length;
  const note = left > 0 ? `\n\n<p>${left} bars in the middle are left out.</p>` : '';
  return `\`\`\`mermaid\n${lines.join('\n')}\n\`\`\`${note}`;
}

function barLine({ name, start, end, status }: Bar, leastMs: number): string {
  const ms = Math.round(Math.max(leastMs, end - start));
  return `${plainLabel(name)} (${duration((end - start) / 1000)}) :${TAGS[status]}, ${chartTime(start)}, ${ms}ms`;
}

/** `0` is midnight of the chart's first day. */
function chartTime(ms: number): string {
  return new Date(Date.UTC(2001, 0, 1) + Math.round(ms)).toISOString().replace('T', ' ').replace('Z', '');
}

/** More lines than these across the picture make its labels hard to read; Mermaid's own choice is up to twenty. */
const MAX_TICKS = 8;

/** Times between two ticks in milliseconds, in Mermaid's words, and how a tick of them reads. */
const INTERVALS: readonly (readonly [ms: number, interval: string, format: string])[] = [
  ...[100, 200, 500].map((ms) => [ms, `${ms}millisecond`, '%-S.%L s'] as const),
  ...[1, 2, 5, 10, 15, 30].map((n) => [n * 1_000, `${n}second`, '%M:%S'] as const),
  ...[1, 2, 5].map((n) => [n * 60_000, `${n}minute`, '%M:%S'] as const),
  ...[10, 15, 30].map((n) => [n * 60_000, `${n}minute`, '%H:%M'] as const),
  ...[1, 2, 3, 6, 12].map((n) => [n * 3_600_000, `${n}hour`, '%H:%M'] as const),
];

function axisOf(length: number): { readonly interval: string; readonly format: string } {
  const [, interval, format] = INTERVALS.find(([ms]) => length <= ms * MAX_TICKS) ?? [0, '1day', '%j'];
  return { interval, format };
}

/**
 * A name from outside as a label: letters, digits and a few marks that mean nothing to Mermaid. A bar's name begins with its
 * step's number, so that none of Mermaid's words can stand at the line's start.
 */
function plainLabel(name: string): string {
  const plain = plainText(name, MAX_NAME)
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N} _.,/()+=·…-]+/gu, '·')
    .replace(/-{2,}/g, '-')
    .trim();
  return plain === '' ? '·' : plain;
}
