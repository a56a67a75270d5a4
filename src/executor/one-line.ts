/** Characters of a foreign text that go into a sentence. */
const TEXT_LIMIT = 500;

/** A foreign text as part of a sentence: one line, cut, without the full stop at its end. */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return (line.length > TEXT_LIMIT ? `${line.slice(0, TEXT_LIMIT)}…` : line).replace(/\.+$/, '');
}
