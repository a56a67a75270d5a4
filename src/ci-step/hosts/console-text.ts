import { outputLine } from '../../base/log/plain-text.ts';
import { withoutServiceMessages } from '../../base/log/service-messages.ts';

/** Untrusted text for the console of a CI system: none of its lines is a command to the system. */
export interface ConsoleTexts {
  /** A line of program output, with its colours where the console shows any: always a single line. */
  readonly consoleLine: (text: string) => string;
  /** A message, without colours. */
  readonly consoleText: (text: string) => string;
}

/** The texts of a console; `defuse` changes a line that the CI system would take for a command. */
export function consoleTexts(defuse: (line: string) => string, { colours = true } = {}): ConsoleTexts {
  return {
    consoleLine: (text) => defuse(outputLine(text, { colours })),
    consoleText: (text) =>
      text
        .split('\n')
        .map((line) => defuse(outputLine(line)))
        .join('\n'),
  };
}

/** The texts of a console that shows colours, and of one that doesn't, where the CI system has no dialect here. */
export const COLOURED = consoleTexts(withoutServiceMessages);
export const UNCOLOURED = consoleTexts(withoutServiceMessages, { colours: false });

const RESET = '\u001b[0m';

/** Ends the colours of a line, which would last beyond its end. */
export function withColoursEnded(line: string): string {
  return line.includes('\u001b') && !line.endsWith(RESET) ? line + RESET : line;
}
