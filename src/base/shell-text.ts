import { readFileSync } from 'node:fs';

/**
 * The shell program in `file`, relative to the module with the URL `from`. The bundler puts the text
 * in place of the call, so a bundle reads no file. Throws what node:fs throws.
 */
export function shellText(file: string, from: string): string {
  return readFileSync(new URL(file, from), 'utf8');
}
