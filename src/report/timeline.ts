import { plainText } from '../log/plain-text.ts';
import { duration } from '../quantity.ts';
import { escapeHtml } from './markup.ts';
import type { JobReport, RunReport, StepReport } from './report.ts';

export type Phase = 'queue' | 'preparation' | 'steps' | 'reporting';
export type BarStatus = 'done' | 'failed' | 'unfinished';

/**
 * One phase of a run. Times are milliseconds from the start of the run; `end` is never before
 * `start`.
 */
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

/** A shorter start gets no row. */
const MIN_START_MS = 100;

/**
 * How a run spent its time, in order: start, waiting, preparation, steps, reporting. Undefined
 * without a claim.
 */
export function timelineOf(report: RunReport): Timeline | undefined {
  const { startedAt, claimedAt, finishedAt, waitSeconds } = report;
  const steps = report.jobs?.map(asStep) ?? report.steps;
  const begun = steps.map((step) => step.startedAt).filter((time) => time !== undefined);
  const claimed = claimedAt ?? (begun.length === 0 ? undefined : Math.min(...begun));
  if (claimed === undefined) return undefined;

  const first = Math.min(startedAt ?? claimed, claimed);
  const bars: Bar[] = [];

  // A clock that was set back must not reverse a bar.
  const add = (phase: Phase, name: string, from: number, to: number, status: BarStatus): void => {
    const start = Math.max(0, from - first);
    bars.push({ phase, name, start, end: Math.max(start, to - first), status });
  };

  if (startedAt !== undefined) {
    // The agent's `waitSeconds` begin once it has signed in.
    const waiting = claimed - (waitSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
    const ready = waiting - startedAt >= MIN_START_MS ? waiting : startedAt;
    if (ready > startedAt) add('queue', 'Start and sign-in', startedAt, ready, 'done');
    add('queue', 'Waiting for a deployment', ready, claimed, 'done');
  }

  let lastEnd: number | undefined;
  for (const step of steps) {
    if (step.startedAt === undefined) continue;
    const end = step.finishedAt ?? finishedAt ?? step.startedAt;
    add(
      step.index === 0 ? 'preparation' : 'steps',
      `${step.index} ${step.name}`,
      step.startedAt,
      end,
      statusOf(step),
    );

    lastEnd = step.finishedAt === undefined ? undefined : Math.max(lastEnd ?? 0, end);
  }

  if (lastEnd !== undefined && finishedAt !== undefined && finishedAt > lastEnd) {
    add('reporting', 'Last reports and cleanup', lastEnd, finishedAt, 'done');
  }

  return { bars, length: Math.max(...bars.map(({ end }) => end), 0) };
}

/** A job as one step, from the start of its first to the end of its last. */
function asStep({ report }: JobReport, index: number): StepReport {
  const { steps, outcome, deployments, deploymentId } = report;
  const times = steps
    .flatMap((step) => [step.startedAt, step.finishedAt])
    .filter((time) => time !== undefined);
  const name = deployments?.[0]?.stack ?? `Deployment ${deploymentId}`;
  const status = outcome === 'succeeded' ? outcome : 'failed';
  const begun = times.length > 0 && { startedAt: Math.min(...times), finishedAt: Math.max(...times) };

  return { index: index + 1, name, status, ...begun };
}

function statusOf({ status }: StepReport): BarStatus {
  if (status === 'failed') return 'failed';
  return status === 'succeeded' ? 'done' : 'unfinished';
}

/** The meaning of a bar's colour. */
type BarKind = Phase | Exclude<BarStatus, 'done'>;

const KINDS: Readonly<
  Record<BarKind, { readonly words: string; readonly tag: string; readonly colour: string }>
> = {
  queue: { words: 'waiting', tag: 'done, ', colour: 'grey' },
  preparation: { words: 'preparation', tag: 'active, ', colour: 'blue' },
  steps: { words: 'succeeded', tag: '', colour: 'green' },
  failed: { words: 'failed', tag: 'crit, ', colour: 'red' },
  unfinished: { words: 'not finished', tag: 'active, crit, ', colour: 'blue with a red edge' },
  reporting: { words: 'reporting', tag: 'done, ', colour: 'grey' },
};

function kindOf({ phase, status }: Bar): BarKind {
  return status === 'done' ? phase : status;
}

const MAX_BARS = 200;

/** Pixels of a row: its name above its bar. */
const ROW = 36;

/** Percent of the width beyond which a tick's label goes to its left. */
const NEAR_END = 92;

/**
 * A timeline as SVG with legend and text alternative. Attributes only: the page's policy allows no
 * inline styles.
 */
export function timelinePicture({ bars, length }: Timeline): string {
  const shown = bars.slice(0, MAX_BARS);
  const height = shown.length * ROW + 22;
  const part = (ms: number): number => (length === 0 ? 0 : (ms / length) * 100);
  const [interval] = axisOf(length);

  const ticks = Array.from({ length: Math.floor(length / interval) + 1 }, (_, n) => {
    const at = part(n * interval);
    const anchor = n === 0 ? 'start' : at > NEAR_END ? 'end' : 'middle';
    const x = `${at.toFixed(3)}%`;
    const label = duration((n * interval) / 1000).replace(/(?<=min) 0 s$/, '');

    return (
      `<line x1="${x}" x2="${x}" y1="0" y2="${height - 20}"/>` +
      `<text class="tick${n % 2 === 1 ? ' odd' : ''}" x="${x}" y="${height - 6}" text-anchor="${anchor}">${label}</text>`
    );
  });

  const labels = shown.map(({ name, start, end }) =>
    escapeHtml(`${plainText(name, 60)} · ${duration((end - start) / 1000)}`),
  );

  const rows = shown.map((bar, row) => {
    const width = Math.max(0.4, part(bar.end - bar.start));
    const x = Math.min(part(bar.start), 100 - width).toFixed(3);
    return (
      `<text x="0" y="${row * ROW + 16}">${labels[row]}</text>` +
      `<rect class="${kindOf(bar)}" x="${x}%" y="${row * ROW + 20}" width="${width.toFixed(3)}%" height="13" rx="3"/>`
    );
  });

  const more = bars.length > MAX_BARS ? `<p>… and ${bars.length - MAX_BARS} more.</p>` : '';

  const swatches = kindsOf(shown).map(
    (kind) =>
      `<span><svg width="13" height="13" aria-hidden="true"><rect class="${kind}" width="13" height="13" rx="3"/></svg> ${KINDS[kind].words}</span>`,
  );

  const title = `How the run spent its time: ${labels.join('; ')}`;

  return (
    `<p class="legend">${swatches.join(' ')}</p>` +
    `<svg role="img" aria-label="${title}" width="100%" height="${height}">${ticks.join('')}${rows.join('')}</svg>${more}`
  );
}

function kindsOf(bars: readonly Bar[]): BarKind[] {
  return [...new Set(bars.map(kindOf))];
}

/** More bars are unreadable, and GitHub refuses a diagram of more than 50,000 characters. */
const MAX_CHART_BARS = 60;
const MAX_NAME = 60;

/** The smallest visible share of the chart's width. */
const MIN_WIDTH = 0.004;

/** Mermaid's own colours depend on the reader's theme; these mean the same in each. */
const COLOURS = {
  taskBkgColor: '#1a7f37',
  taskBorderColor: '#116329',
  activeTaskBkgColor: '#54aeff',
  activeTaskBorderColor: '#0969da',
  doneTaskBkgColor: '#afb8c1',
  doneTaskBorderColor: '#8c959f',
  critBkgColor: '#cf222e',
  critBorderColor: '#82071e',
};

/**
 * A timeline as a Mermaid Gantt chart from 0: Mermaid parses and prints dates in the same, the
 * reader's, time zone.
 */
export function ganttOf({ bars, length }: Timeline): string {
  const [, interval, format] = axisOf(length);
  const axis = [`axisFormat ${format}`, `tickInterval ${interval}`];
  const init = `%%{init: ${JSON.stringify({ themeVariables: COLOURS })}}%%`;
  const lines = [init, 'gantt', 'dateFormat YYYY-MM-DD HH:mm:ss.SSS', ...axis, 'todayMarker off'];
  const half = MAX_CHART_BARS / 2;
  const shown = bars.length > MAX_CHART_BARS ? [...bars.slice(0, half), ...bars.slice(-half)] : bars;
  let section: Phase | undefined;

  for (const bar of shown) {
    if (bar.phase !== section)
      lines.push(`section ${bar.phase.charAt(0).toUpperCase()}${bar.phase.slice(1)}`);
    section = bar.phase;
    lines.push(barLine(bar, Math.max(1, length * MIN_WIDTH)));
  }

  const left = bars.length - shown.length;
  const colours = Map.groupBy(kindsOf(shown), (kind) => KINDS[kind].colour);
  const words = [...colours].map(
    ([colour, all]) => `${colour}: ${all.map((kind) => KINDS[kind].words).join(', ')}`,
  );
  const note = left > 0 ? ` · ${left} bars in the middle are omitted` : '';

  return `\`\`\`mermaid\n${lines.join('\n')}\n\`\`\`\n\n<p>${words.join(' · ')}${note}</p>`;
}

function barLine(bar: Bar, leastMs: number): string {
  const { name, start, end } = bar;
  const ms = Math.round(Math.max(leastMs, end - start));
  return `${plainLabel(name)} (${duration((end - start) / 1000)}) :${KINDS[kindOf(bar)].tag}${chartTime(start)}, ${ms}ms`;
}

/** A time of the chart; 0 is midnight of its first day. */
function chartTime(ms: number): string {
  return new Date(Date.UTC(2001, 0, 1) + Math.round(ms)).toISOString().replace('T', ' ').replace('Z', '');
}

/** More tick lines make the labels hard to read; Mermaid picks up to twenty by default. */
const MAX_TICKS = 8;

/** A round tick interval: in milliseconds, in Mermaid's syntax, and the format of its labels. */
type Axis = readonly [ms: number, interval: string, format: string];

const AXES: readonly Axis[] = [
  ...[100, 200, 500].map((ms): Axis => [ms, `${ms}millisecond`, '%-S.%L s']),
  ...[1, 2, 5, 10, 15, 30].map((n): Axis => [n * 1_000, `${n}second`, '%M:%S']),
  ...[1, 2, 5].map((n): Axis => [n * 60_000, `${n}minute`, '%M:%S']),
  ...[10, 15, 30].map((n): Axis => [n * 60_000, `${n}minute`, '%H:%M']),
  ...[1, 2, 3, 6, 12].map((n): Axis => [n * 3_600_000, `${n}hour`, '%H:%M']),
];

function axisOf(length: number): Axis {
  return AXES.find(([ms]) => length <= ms * MAX_TICKS) ?? [86_400_000, '1day', '%j'];
}

/**
 * An untrusted name without Mermaid's special characters. A bar's label begins with a number, so
 * with no keyword.
 */
function plainLabel(name: string): string {
  const plain = plainText(name, MAX_NAME)
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N} _.,/()+=·…-]+/gu, '·')
    .replace(/-{2,}/g, '-')
    .trim();
  return plain === '' ? '·' : plain;
}
