import { stripControl } from '../../log/terminal-text.ts';
import { CHECK_SIGNS, type CheckStatus, type DoctorCheck } from '../../record/doctor-report.ts';
import { entryFor } from '../../troubleshooting.ts';

/** SGR parameters: green, yellow, red, and faint for what says nothing either way. */
const COLOURS: Readonly<Record<CheckStatus, number>> = { passed: 32, warning: 33, failed: 31, unknown: 2, skipped: 2 };

/** One line of the table, its line break included; titles are padded to `width` characters. */
export function checkLine({ status, title, detail }: DoctorCheck, width: number, colours: boolean): string {
  const sign = CHECK_SIGNS[status];
  const shown = colours ? `\u001b[${COLOURS[status]}m${sign}\u001b[0m` : sign;
  // What a server or a certificate says of itself comes from outside.
  return `${shown} ${title.padEnd(width)}  ${stripControl(detail)}\n`;
}

/** Below the table: where to read more about each failure, a line each. */
export function entryLines(checks: readonly DoctorCheck[]): string {
  const lines = checks.map(({ status, title, detail }) => {
    const entry = status === 'failed' ? entryFor(detail) : undefined;
    return entry === undefined ? '' : `${title}: see ${entry}\n`;
  });
  return lines.join('');
}
