/** The results of all promises, in order. Throws the first failure, once all have settled. */
export async function allTried<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(work);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

/** The lines of all removals, in order. Throws the first failure, once all have settled. */
export async function linesOf(removals: readonly Promise<string | readonly string[] | undefined>[]): Promise<string[]> {
  return (await allTried(removals)).flatMap((lines) => lines ?? []);
}

/** Does the work once for all callers, and again only if it failed. */
export function untilDone(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}
