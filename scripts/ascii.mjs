// Writes every character of the agent's bundle that is not ASCII as an escape. A file with a single one beyond Latin-1, be it in a
// comment, Node holds in two bytes a character: 4 ms more of a start, which loads 1.5 MB.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';

/** Where an escape would mean something else than its character: behind a backslash, and in a raw template. */
const OTHER_MEANING = /(?<!\\)(?:\\\\)*\\[^\0-\x7f]|\.raw\s*`[^`]*[^\0-\x7f]/;

for (const file of globSync('dist/agent/*.js')) {
  const text = readFileSync(file, 'utf8');
  const [at] = OTHER_MEANING.exec(text) ?? [];
  if (at !== undefined) throw new Error(`bundle: ${file} holds what can't be written in ASCII: ${JSON.stringify(at)}`);
  const ascii = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (ascii === text) continue;
  // Throws where that made it no JavaScript: a space, for one.
  parseAst(ascii);
  writeFileSync(file, ascii);
}
