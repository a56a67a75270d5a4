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
