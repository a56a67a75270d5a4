import { join } from 'node:path';
import { byteCount } from '../../quantity.ts';
import { RUN_FILES } from '../../record/schema.ts';
import { plainText } from '../console-text.ts';
import { lastLines } from '../growing-lines.ts';
import { escapeHtml, titledTable } from '../publish/markup.ts';

const MAX_ROWS = 500;
const MAX_BYTES = 256 * 1024;

/** How the agent fared, as a table of its latest snapshots. Throws what node:fs throws. */
export async function healthTable(directory: string): Promise<string> {
  const lines = await lastLines(join(directory, RUN_FILES.health), MAX_ROWS, MAX_BYTES);
  const snapshots = lines.flatMap(snapshot);
  if (snapshots.length === 0) return '<p>The agent left no snapshot of its health.</p>';
  const unhealthy = snapshots.filter(({ status }) => status !== 'healthy').length;
  const memory = byteCount(Math.max(...snapshots.map(({ rss }) => rss)));
  const healthy = `${snapshots.length - unhealthy} of ${snapshots.length}`;
  const sentence = `The agent called itself healthy at ${healthy} looks; most memory it held: ${memory}.`;
  const rows = snapshots.map(({ time, status, state, rss }) => [
    escapeHtml(time),
    escapeHtml(status),
    escapeHtml(state),
    byteCount(rss),
  ]);
  const figures = titledTable(['Time', 'Status', 'State', 'Memory'], rows, { maxRows: MAX_ROWS, what: 'snapshots' });
  return `<p>${sentence}</p><details${unhealthy > 0 ? ' open' : ''}><summary>Snapshots</summary>${figures}</details>`;
}

interface ShownSnapshot {
  readonly time: string;
  readonly status: string;
  readonly state: string;
  readonly rss: number;
}

/** One line of the file; nothing for a torn one or another thing. */
function snapshot(line: string): ShownSnapshot[] {
  try {
    const { t, status, state, rssBytes } = Object(JSON.parse(line)) as Record<string, unknown>;
    if (typeof status !== 'string') return [];
    const rss = typeof rssBytes === 'number' ? rssBytes : 0;
    return [
      {
        time: plainText(String(t), 40),
        status: plainText(status, 40),
        state: plainText(String(state), 40),
        rss,
      },
    ];
  } catch {
    return [];
  }
}
