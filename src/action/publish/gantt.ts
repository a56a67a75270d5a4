import { plainText } from '../console-text.ts';
import { duration } from '../quantity-text.ts';
import type { Bar, Phase, Timeline } from '../timeline.ts';

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
  const lines = ['gantt', 'dateFormat YYYY-MM-DD HH:mm:ss.SSS', `axisFormat ${axisFormat(length)}`, 'todayMarker off'];
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

/** Mermaid draws ticks of less than a second below this length (d3's ten ticks); they would otherwise read the same. */
const TICKS_OF_SECONDS_MS = 7_100;

function axisFormat(length: number): string {
  if (length < TICKS_OF_SECONDS_MS) return '%-S.%L s';
  return length < 3_600_000 ? '%M:%S' : '%H:%M:%S';
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
