import { outputLine } from '../../log/plain-text.ts';
import { COLOUR, IGNORED } from '../unseen.ts';

/*
 * Makes untrusted text safe for Buildkite's log. The agent takes a line that begins with `---`, `+++` or `~~~` and white
 * space for a group's header, and `^^^ +++` for the order to open the group; it ignores colours in front (buildkite/agent,
 * header_times_streamer.go), and the page does the same. `outputLine` leaves only colours of the escape sequences that
 * its terminal knows (buildkite/terminal-to-html), such as those for timestamps, links and images.
 */

const UNSEEN = String.raw`(?:${COLOUR}|(?!\u001b)[\s${IGNORED}])*`;
const HEADER = new RegExp(
  `^(${UNSEEN}([-+~^]))(?=${UNSEEN}\\2${UNSEEN}\\2(?:${COLOUR})*(?:[\\s\\p{Cf}]|$))`,
  'u',
);

/** Colours last until they are reset, beyond the end of a line. */
const RESET = '\u001b[0m';

/** A line of program output for the log, with its colours: always a single line, never a header. */
export function consoleLine(text: string): string {
  const line = defused(outputLine(text, { colours: true }));
  return line.includes('\u001b') ? line + RESET : line;
}

/** A message that contains untrusted text, without colours: none of its lines is a header. */
export function consoleText(text: string): string {
  return text
    .split('\n')
    .map((line) => defused(outputLine(line)))
    .join('\n');
}

/** Inserts a space into what the page would take for a header. */
function defused(line: string): string {
  return line.replace(HEADER, '$1 ');
}
