import { plainText } from '../../base/log/plain-text.ts';
import { duration } from '../../base/quantity.ts';
import { escapeHtml } from './markup.ts';
import { axisOf, KINDS, kindOf, kindsOf, type Timeline } from './timeline.ts';

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

  const rest = bars.length > MAX_BARS ? `<p>… and ${bars.length - MAX_BARS} more.</p>` : '';

  const swatches = kindsOf(shown).map(
    (kind) =>
      `<span><svg width="13" height="13" aria-hidden="true"><rect class="${kind}" width="13" height="13" rx="3"/></svg> ${KINDS[kind].words}</span>`,
  );

  const title = `How the run spent its time: ${labels.join('; ')}`;

  return (
    `<p class="legend">${swatches.join(' ')}</p>` +
    `<svg class="timeline" role="img" aria-label="${title}" width="100%" height="${height}">${ticks.join('')}${rows.join('')}</svg>${rest}`
  );
}
