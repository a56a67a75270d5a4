import { outputLine } from '../../report/text.ts';

/*
 * Text from outside as GitHub's console may show it. The runner splits its standard output where .NET's
 * StreamReader.ReadLine does (LF, CR LF, a lone CR), trims white space from a line's start and takes `::name …::` there,
 * and `##[name …]` anywhere, for a command (actions/runner, ActionCommand.cs). It compares by culture: characters that
 * ICU ignores (controls, zero-width and other default-ignorable ones) may stand in between.
 */

/** Unseen by ICU, or by a reader: a colour as a whole, and ignorable characters; the escape character only begins colours. */
const COLOUR = String.raw`\u001b\[[0-9;:]*m`;
const IGNORED = String.raw`\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}`;
const UNSEEN = String.raw`(?:${COLOUR}|(?!\u001b)[${IGNORED}])*`;
const COMMAND_AT_START = new RegExp(`^((?:${COLOUR}|(?!\\u001b)[\\s${IGNORED}])*:${UNSEEN})(?=:)`, 'u');
const COMMAND_ANYWHERE = new RegExp(`#${UNSEEN}#${UNSEEN}(?=\\[)`, 'gu');

/** One line of a program as the console may print it, in its colours: one line for the runner, and never a command. */
export function consoleLine(text: string): string {
  return defused(outputLine(text, { colours: true }));
}

/** A text of ours that holds some from outside, without colours: none of its lines is a command. */
export function consoleText(text: string): string {
  return text
    .split('\n')
    .map((line) => defused(outputLine(line)))
    .join('\n');
}

/** What the runner would take for a command gets a blank inside. */
function defused(line: string): string {
  return line.replace(COMMAND_AT_START, '$1 ').replace(COMMAND_ANYWHERE, '$& ');
}
