import { outputLine } from '../../base/log/plain-text.ts';

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

const RESET = '\u001b[0m';

/** Ends the colours of a line, which would last beyond its end. */
export function withColoursEnded(line: string): string {
  return line.includes('\u001b') && !line.endsWith(RESET) ? line + RESET : line;
}

/** A colour's escape sequence, as the source of a regular expression. */
export const COLOUR = String.raw`\u001b\[[0-9;:]*m`;

/**
 * Characters that ICU ignores in a culture-sensitive comparison, as part of a class: of the marks and
 * modifiers it ignores about half.
 */
export const IGNORABLE = String.raw`\p{Cc}\p{Cf}\p{M}\p{Lm}\p{Default_Ignorable_Code_Point}\u180a\u1cd3\ufe73`;

/**
 * Text that ICU or a reader does not see: whole colour sequences, and ignorable characters except a
 * lone escape.
 */
export const INVISIBLE = String.raw`(?:${COLOUR}|(?!\u001b)[${IGNORABLE}])*`;
