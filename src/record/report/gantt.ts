import { plainText } from '../../base/log/plain-text.ts';
import { duration } from '../../base/quantity.ts';
import { axisOf, type Bar, KINDS, kindOf, kindsOf, type Timeline } from './timeline.ts';

/** More bars are unreadable, and GitHub refuses a diagram of more than 50,000 characters. */
const MAX_CHART_BARS = 60;
const MAX_NAME = 60;

/** The smallest visible share of the chart's width. */
const MIN_WIDTH = 0.004;

/**
 * Mermaid's own colours depend on the reader's theme; these mean the same in each. They are of middle
 * brightness, for dark names in them, and no band is drawn behind the bars.
 */
const COLOURS = {
  sectionBkgColor: 'transparent',
  sectionBkgColor2: 'transparent',
  altSectionBkgColor: 'transparent',
  taskTextColor: '#1f2328',
  taskBkgColor: '#7fc794',
  taskBorderColor: '#7fc794',
  activeTaskBkgColor: '#80b6ec',
  activeTaskBorderColor: '#80b6ec',
  doneTaskBkgColor: '#b6bec7',
  doneTaskBorderColor: '#b6bec7',
  critBkgColor: '#f0938d',
  critBorderColor: '#d1443c',
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

  // Without sections: their titles would repeat what the colours say.
  for (const bar of shown) lines.push(barLine(bar, Math.max(1, length * MIN_WIDTH)));

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
