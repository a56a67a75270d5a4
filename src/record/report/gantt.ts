import { plainText } from '../../base/log/plain-text.ts';
import { duration } from '../../base/quantity.ts';
import { axisOf, type Bar, KINDS, kindOf, kindsOf, type Phase, type Timeline } from './timeline.ts';

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

  const omittedBars = bars.length - shown.length;
  const colours = Map.groupBy(kindsOf(shown), (kind) => KINDS[kind].colour);
  const words = [...colours].map(
    ([colour, all]) => `${colour}: ${all.map((kind) => KINDS[kind].words).join(', ')}`,
  );
  const note = omittedBars > 0 ? ` · ${omittedBars} bars in the middle are omitted` : '';

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
