/** Requests in flight at a time. */
const MOST = 4;

/** Runs `work` for each item in order, a few at a time. Throws the first error of `work`; the others continue. */
export async function inParallel<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: MOST }, worker));
}
