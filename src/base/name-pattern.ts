/**
 * True if a pattern matches a name: `*` is any text. Also tells whether a pattern covers all that
 * another one matches.
 */
export function matchesName(pattern: string, name: string): boolean {
  if (!pattern.includes('*')) return pattern === name;

  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop() ?? '';
  if (!name.startsWith(head)) return false;

  let at = head.length;
  for (const part of rest) {
    const start = name.indexOf(part, at);
    if (start < 0) return false;
    at = start + part.length;
  }

  return name.length - tail.length >= at && name.endsWith(tail);
}
