import { stripControl } from '../../log/terminal-text.ts';
import { CHECK_SIGNS, type CheckStatus, type DoctorCheck } from '../../record/doctor-report.ts';

/** SGR parameters: green, yellow, red, and faint for what says nothing either way. */
const COLOURS: Readonly<Record<CheckStatus, number>> = { passed: 32, warning: 33, failed: 31, unknown: 2, skipped: 2 };

/** One line of the table, its line break included; titles are padded to `width` characters. */
export function checkLine({ status, title, detail }: DoctorCheck, width: number, colours: boolean): string {
  const sign = CHECK_SIGNS[status];
  const shown = colours ? `\u001b[${COLOURS[status]}m${sign}\u001b[0m` : sign;
  // What a server or a certificate says of itself comes from outside.
  return `${shown} ${title.padEnd(width)}  ${stripControl(detail)}\n`;
}
