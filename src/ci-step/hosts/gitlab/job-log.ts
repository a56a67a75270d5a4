import { COLOUR } from '../../../base/log/invisible-text.ts';
import { consoleTexts, withColoursEnded } from '../console-text.ts';

/*
 * Makes untrusted text safe for GitLab's job log, which GitLab reads line by line (lib/gitlab/ci/ansi2json). A section
 * marker counts anywhere in a line, but needs a carriage return and an erasing escape sequence; a line here has
 * neither, and of escape sequences only colours. GitLab and its runner take more for their own:
 * - A time stamp of the runner anywhere in the first line of a log, or of the part of it that the page asks for: then
 *   32 characters of each later line can be missing.
 * - A time stamp at the start of a line, after colours too, where the log has them: 32 characters go with it.
 * - `::add-mask::` (a runner with `proxy_exec`): all later output lacks the phrase after it.
 */

const TIME_STAMP = /(\.\d{6}Z)(?= [0-9a-f]{2}[EO][+ ])/g;

/** GitLab compares bytes 4, 7, 10, 13 and 26, of which the indent moves the first: a character is up to four bytes. */
const LIKE_TIME_STAMP = new RegExp(`^(?=(?:${COLOUR})*.{1,4}-.{1,2}-.{1,2}T.{1,2}:.{3,12}Z)`, 'u');
const INDENT = ' '.repeat(5);

export const { consoleLine, consoleText } = consoleTexts((line) => {
  const unmarked = line
    .replace(LIKE_TIME_STAMP, INDENT)
    .replace(TIME_STAMP, '$1 ')
    .replaceAll('::add-mask::', ': :add-mask::');
  return withColoursEnded(unmarked);
});

/** Begins a section that the log shows folded, with our own name and an untrusted title. */
export function sectionStart(name: string, now: number, title: string): string {
  const header = consoleText(title.replaceAll('\n', ' '));
  return `section_start:${seconds(now)}:${name}[collapsed=true]\r\u001b[0K${header}\n`;
}

export function sectionEnd(name: string, now: number): string {
  return `section_end:${seconds(now)}:${name}\r\u001b[0K\n`;
}

function seconds(now: number): number {
  return Math.floor(now / 1_000);
}
