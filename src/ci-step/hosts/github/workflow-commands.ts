import { COLOUR, IGNORABLE, INVISIBLE } from '../../../base/log/invisible-text.ts';
import { consoleTexts } from '../console-text.ts';

/*
 * Makes untrusted text safe for GitHub's console. The runner splits standard output where .NET's StreamReader.ReadLine
 * does (LF, CR LF, a lone CR), trims white space from the start of a line, and takes `::name …::` there and `##[name
 * …]` anywhere for a command (actions/runner, ActionCommand.cs). Its comparison is culture-sensitive: characters that
 * ICU ignores (controls, zero-width and other default-ignorable ones) can come in between.
 */

const COMMAND_AT_START = new RegExp(`^((?:${COLOUR}|(?!\\u001b)[\\s${IGNORABLE}])*:${INVISIBLE})(?=:)`, 'u');
const COMMAND_ANYWHERE = new RegExp(`#${INVISIBLE}#${INVISIBLE}(?=\\[)`, 'gu');

export const { consoleLine, consoleText } = consoleTexts((line) =>
  line.replace(COMMAND_AT_START, '$1 ').replace(COMMAND_ANYWHERE, '$& '),
);
