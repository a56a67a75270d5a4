/** What stands for everything that is hidden. */
export const MASK = '***';

/**
 * Hides every occurrence of `forms` (none of them empty) in a short text, one look for each form. What they cover together, by
 * overlapping or touching, becomes one mask.
 */
export function masked(text: string, forms: Iterable<string>): string {
  const covered: { start: number; end: number }[] = [];
  for (const form of forms) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
      covered.push({ start: at, end: at + form.length });
    }
  }
  if (covered.length === 0) return text;
  let out = '';
  let done = -1;
  for (const { start, end } of covered.toSorted((a, b) => a.start - b.start)) {
    if (start > done) out += text.slice(Math.max(done, 0), start) + MASK;
    done = Math.max(done, end);
  }
  return out + text.slice(done);
}
