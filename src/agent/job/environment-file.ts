import { counted } from '../../base/quantity.ts';
import { variableOf } from './environment.ts';

/** Lines of a file that get a note of their own. */
const MOST_NOTES = 10;

const IGNORED =
  'is not NAME=VALUE, so later steps lack it. Write each variable on one line, without export. Encode a value of several lines in base64.';
const QUOTED = 'has a value with quotes, which are part of it. Write the value without them.';

/**
 * Describes what a step's environment file says that its author can't have meant, for the step's log:
 * lines by their numbers, never by their text. `before` is the file as it was read last; its lines
 * are not described again.
 */
export function notesOn(written: string, before: string): string[] {
  const earlierLines = before.split('\n');
  const notes = written.split('\n').flatMap((line, index) => {
    const why = line === earlierLines[index] ? undefined : oddity(line.replaceAll('\r', ''));
    return why === undefined ? [] : [`Line ${index + 1} of PULUMI_ENV ${why}`];
  });

  const omitted = notes.length - MOST_NOTES;
  return omitted <= 1
    ? notes
    : [...notes.slice(0, MOST_NOTES), `${counted(omitted, 'other line')} of PULUMI_ENV are like these.`];
}

function oddity(line: string): string | undefined {
  if (/^\s*(?:#|$)/.test(line)) return undefined;
  const [, value] = variableOf(line) ?? [];
  if (value === undefined) return IGNORED;
  return /^\s*["']/.test(value) ? QUOTED : undefined;
}
