/**
 * The number of single-character insertions, deletions, substitutions and swaps of neighbours between two texts
 * (optimal string alignment).
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const best = Math.min(substituted, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      row.push(swapped ? Math.min(best, (beforeLast[j - 2] ?? 0) + 1) : best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

const LONGEST_COMPARED = 60;

/** The candidate most like `text`, letter case and `-` for `_` aside; undefined when none is near. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  if (text.length > LONGEST_COMPARED) return undefined;
  const plain = (name: string): string => name.toLowerCase().replace(/[-. ]/g, '_');
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(plain(text), plain(candidate));
    const near = distance <= Math.max(2, Math.floor(candidate.length / 4));
    if (near && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}
