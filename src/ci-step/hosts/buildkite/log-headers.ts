import { COLOUR, IGNORABLE } from '../../../base/log/invisible-text.ts';
import { consoleTexts, withColoursEnded } from '../console-text.ts';

/*
 * Makes untrusted text safe for Buildkite's log. The agent takes a line that begins with `---`, `+++` or `~~~` and white
 * space for a group's header, and `^^^ +++` for the order to open the group; it ignores colours in front (buildkite/agent,
 * header_times_streamer.go), and the page does the same. `outputLine` leaves only colours of the escape sequences that
 * its terminal knows (buildkite/terminal-to-html), such as those for timestamps, links and images.
 */

const INVISIBLE_OR_SPACE = String.raw`(?:${COLOUR}|(?!\u001b)[\s${IGNORABLE}])*`;
const HEADER = new RegExp(
  `^(${INVISIBLE_OR_SPACE}([-+~^]))(?=${INVISIBLE_OR_SPACE}\\2${INVISIBLE_OR_SPACE}\\2(?:${COLOUR})*(?:[\\s\\p{Cf}]|$))`,
  'u',
);

export const { consoleLine, consoleText } = consoleTexts((line) =>
  withColoursEnded(line.replace(HEADER, '$1 ')),
);
