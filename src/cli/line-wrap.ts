/** Columns of a line of help. */
const WIDTH = 100;

/** Wraps text at white space into lines that begin with `indent`, the first one with `begin`; a longer word gets its own line. */
export function wrapped(begin: string, text: string, indent: string): string[] {
  const [first = '', ...words] = text.split(/\s+/);
  const lines = [`${begin}${first}`];

  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(`${indent}${word}`);
  }

  return lines;
}
