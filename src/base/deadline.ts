/** No answer came in time. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';

  constructor(ms: number) {
    super(`no answer within ${Math.ceil(ms / 100) / 10} s`);
  }
}

/**
 * Runs `run` for at most `ms`. Throws DeadlineError, or the signal's reason, even if
 * `run` never settles. A late value goes to `late`.
 */
export async function within<T>(
  ms: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
  late?: (value: T) => void,
): Promise<T> {
  signal.throwIfAborted();

  const inner = new AbortController();
  const ended = Promise.withResolvers<never>();

  const end = (reason: unknown) => {
    ended.reject(reason);
    inner.abort(reason);
  };

  const onAbort = () => end(signal.reason);
  const timer = setTimeout(() => end(new DeadlineError(ms)), ms);

  signal.addEventListener('abort', onAbort, { once: true });

  try {
    const result = run(inner.signal);
    result.then(
      (value) => inner.signal.aborted && late?.(value),
      () => undefined,
    );
    return await Promise.race([result, ended.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
