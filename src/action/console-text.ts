import { stripControl } from '../log/terminal-text.ts';

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
/** Of one line, as carriage returns part it. */
const MAX_STATES = 3;
/** Overrides of the writing direction make a line read as something else than it is. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/gu;

/**
 * One line as the console may print it: colours stay, other escape sequences, controls and overrides of the writing
 * direction go, a carriage return inside the line shows as ␍, of a line that was rewritten again and again (a progress bar) the
 * first and the last state stay, and what the runner would take for a command gets a blank inside. The result is one line for
 * the runner, and never a command.
 */
export function consoleLine(text: string): string {
  return defused(stripControl(visibleBreaks(fewStates(text)), { colours: true }));
}

/** The same without colours, for places that don't show them. */
export function uncolouredLine(text: string): string {
  return defused(pageLine(fewStates(text)));
}

/** The same for places that know no commands: nothing is put into the line. */
export function pageLine(text: string): string {
  return stripControl(visibleBreaks(text));
}

/** A name or a sentence from outside as a part of a line of ours: white space folded, at most `maxLength` characters. */
export function plainText(text: string, maxLength = 500): string {
  // Before stripping, so that a line break still parts two words; and after it, for what stood around a sequence.
  const stripped = stripControl(text.slice(0, maxLength * 4).replace(/\s+/g, ' ')).replace(DIRECTION, '');
  const plain = defused(stripped.replace(/\s+/g, ' ').trim());
  return plain.length > maxLength ? `${plain.slice(0, maxLength - 1)}…` : plain;
}

/** A terminal shows the last state of a line that carriage returns begin anew; the first one tells what it is about. */
function fewStates(text: string): string {
  if (!text.includes('\r')) return text;
  const states = text.split('\r').filter((state) => stripControl(state).trim() !== '');
  if (states.length <= MAX_STATES) return states.join('\r');
  return [states[0], ` … ${states.length - 2} states … `, states.at(-1)].join('\r');
}

function visibleBreaks(text: string): string {
  return text
    .replace(/\r+$/, '')
    .replaceAll('\r', '␍')
    .replace(/[\u2028\u2029]/g, '␤')
    .replace(DIRECTION, '');
}

function defused(line: string): string {
  return line.replace(COMMAND_AT_START, '$1 ').replace(COMMAND_ANYWHERE, '$& ');
}
