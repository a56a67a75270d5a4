import { plainText } from '../console-text.ts';
import { escapeHtml } from '../publish/markup.ts';
import { duration } from '../quantity-text.ts';
import type { Timeline } from '../timeline.ts';

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
