import { escapeHtml } from './markup.ts';
import type { RunReport, StepReport } from './report.ts';
import { duration, plainText } from './text.ts';

export type Phase = 'queue' | 'preparation' | 'steps' | 'reporting';
export type BarStatus = 'done' | 'failed' | 'unfinished';

/** One stretch of a run. Times are milliseconds from the run's first moment; `end` is never before `start`. */
export interface Bar {
  readonly phase: Phase;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly status: BarStatus;
}

export interface Timeline {
  readonly bars: readonly Bar[];
  /** Milliseconds from the first moment to the last. */
  readonly length: number;
}

/** A shorter start is not worth a row of its own. */
const LEAST_START_MS = 100;

/** What a run spent its time with, in order: start, waiting, preparation, steps, reporting. Undefined for a run without a claim. */
export function timelineOf(report: RunReport): Timeline | undefined {
  const { startedAt, claimedAt, finishedAt, waitSeconds, steps } = report;
  const claimed = claimedAt ?? steps.find((step) => step.startedAt !== undefined)?.startedAt;
  if (claimed === undefined) return undefined;
  const first = Math.min(startedAt ?? claimed, claimed);
  const bars: Bar[] = [];
  // A clock that was set back meanwhile must not turn a bar round.
  const add = (phase: Phase, name: string, from: number, to: number, status: BarStatus): void => {
    const start = Math.max(0, from - first);
    bars.push({ phase, name, start, end: Math.max(start, to - first), status });
  };
  if (startedAt !== undefined) {
    // What the agent calls waiting begins when it has signed in.
    const waiting = claimed - (waitSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
    const ready = waiting - startedAt >= LEAST_START_MS ? waiting : startedAt;
    if (ready > startedAt) add('queue', 'Start and sign-in', startedAt, ready, 'done');
    add('queue', 'Waiting for a deployment', ready, claimed, 'done');
  }
  let lastEnd: number | undefined;
  for (const step of steps) {
    if (step.startedAt === undefined) continue;
    const end = step.finishedAt ?? finishedAt ?? step.startedAt;
    add(step.index === 0 ? 'preparation' : 'steps', `${step.index} ${step.name}`, step.startedAt, end, statusOf(step));
    lastEnd = step.finishedAt === undefined ? undefined : Math.max(lastEnd ?? 0, end);
  }
  if (lastEnd !== undefined && finishedAt !== undefined && finishedAt > lastEnd) {
    add('reporting', 'Last reports and clearing up', lastEnd, finishedAt, 'done');
  }
  return { bars, length: Math.max(...bars.map(({ end }) => end), 0) };
}

function statusOf({ status }: StepReport): BarStatus {
  if (status === 'failed') return 'failed';
  return status === 'succeeded' ? 'done' : 'unfinished';
}

const MAX_BARS = 200;
const ROW = 24;
/** Where the bars begin and how wide they are together, in percent of the picture. */
const LEFT = 38;
const WIDTH = 61;
const TICKS = 4;

/** A timeline as SVG: a row for each bar, on the left its name and duration. Attributes alone: the page allows no other styles. */
export function timelinePicture({ bars, length }: Timeline): string {
  const shown = bars.slice(0, MAX_BARS);
  const height = (shown.length + 1) * ROW;
  const at = (ms: number): string => (LEFT + (length === 0 ? 0 : (ms / length) * WIDTH)).toFixed(3);
  const ticks = Array.from({ length: TICKS + 1 }, (_, n) => {
    const ms = (length * n) / TICKS;
    const anchor = n === 0 ? 'start' : n === TICKS ? 'end' : 'middle';
    return (
      `<line x1="${at(ms)}%" x2="${at(ms)}%" y1="0" y2="${height - ROW}"/>` +
      `<text class="tick" x="${at(ms)}%" y="${height - 7}" text-anchor="${anchor}">${duration(ms / 1000)}</text>`
    );
  });
  const rows = shown.map(({ name, phase, status, start, end }, row) => {
    const width = Math.max(0.3, (length === 0 ? 0 : (end - start) / length) * WIDTH).toFixed(3);
    const label = `${plainText(name, 40)} · ${duration((end - start) / 1000)}`;
    return (
      `<text x="0" y="${row * ROW + 16}">${escapeHtml(label)}</text>` +
      `<rect class="${phase} ${status}" x="${at(start)}%" y="${row * ROW + 4}" width="${width}%" height="${ROW - 8}" rx="3"/>`
    );
  });
  const more = bars.length > MAX_BARS ? `<p>… and ${bars.length - MAX_BARS} more.</p>` : '';
  const title = 'What the run spent its time with';
  return `<svg role="img" aria-label="${title}" width="100%" height="${height}">${ticks.join('')}${rows.join('')}</svg>${more}`;
}

/** More would be a picture that nobody reads; GitHub refuses a diagram of more than 50,000 characters. */
const MAX_CHART_BARS = 60;
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
  const half = MAX_CHART_BARS / 2;
  const shown = bars.length > MAX_CHART_BARS ? [...bars.slice(0, half), ...bars.slice(-half)] : bars;
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
