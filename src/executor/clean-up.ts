/** The results of all promises, in order. Throws the first failure, once all have settled. */
export async function settleAll<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** The lines of all removals, in order. Throws the first failure, once all have settled. */
export async function linesOf(
  removals: readonly Promise<string | readonly string[] | undefined>[],
): Promise<string[]> {
  return (await settleAll(removals)).flatMap((lines) => lines ?? []);
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

/** The first of the failures with which a disposal stack has ended. */
export function firstFailure(error: unknown): unknown {
  return error instanceof SuppressedError ? firstFailure(error.suppressed) : error;
}
