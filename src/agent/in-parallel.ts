/** Requests under way at a time. */
const MOST = 4;

/** Does `work` for each item in order, some at a time. Throws what `work` throws first; the others go on. */
export async function inParallel<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: MOST }, worker));
}
