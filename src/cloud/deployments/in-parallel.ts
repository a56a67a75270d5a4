/** Requests in flight at a time. */
const MOST = 4;

/**
 * Runs `work` for each item in order, a few at a time. Throws the first error of `work`; the others
 * continue.
 */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: MOST }, worker));
}
