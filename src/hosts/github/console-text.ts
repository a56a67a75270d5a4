import { outputLine } from '../../log/plain-text.ts';
import { COLOUR, IGNORED, UNSEEN } from '../unseen.ts';

/*
 * Makes untrusted text safe for GitHub's console. The runner splits standard output where .NET's StreamReader.ReadLine
 * does (LF, CR LF, a lone CR), trims white space from the start of a line, and takes `::name …::` there and `##[name
 * …]` anywhere for a command (actions/runner, ActionCommand.cs). Its comparison is culture-sensitive: characters that
 * ICU ignores (controls, zero-width and other default-ignorable ones) may come in between.
 */

const COMMAND_AT_START = new RegExp(`^((?:${COLOUR}|(?!\\u001b)[\\s${IGNORED}])*:${UNSEEN})(?=:)`, 'u');
const COMMAND_ANYWHERE = new RegExp(`#${UNSEEN}#${UNSEEN}(?=\\[)`, 'gu');

/**
 * A line of program output for the console, with its colours: always a single line to the runner,
 * never a command.
 */
export function consoleLine(text: string): string {
  return defused(outputLine(text, { colours: true }));
}

/** A message that contains untrusted text, without colours: none of its lines is a command. */
export function consoleText(text: string): string {
  return text
    .split('\n')
    .map((line) => defused(outputLine(line)))
    .join('\n');
}

/** Inserts a space into what the runner would take for a command. */
function defused(line: string): string {
  return line.replace(COMMAND_AT_START, '$1 ').replace(COMMAND_ANYWHERE, '$& ');
}
