import { hasCredentialShape } from './credential-shape.ts';

/** Stands for a line that isn't shown. */
const HIDDEN = '*** (a line that looks like a credential)';

/**
 * What a program that handles credentials printed, such as an error of curl, without the lines that
 * look like one; nothing of it if one goes across lines.
 */
export function withoutCredentials(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => (hasCredentialShape(line) ? HIDDEN : line));
  const shown = lines.filter((line, index) => line !== HIDDEN || lines[index - 1] !== HIDDEN);
  const isSplit = hasCredentialShape(shown.filter((line) => line !== HIDDEN).join('\n'));
  return isSplit ? HIDDEN : shown.join('\n');
}
