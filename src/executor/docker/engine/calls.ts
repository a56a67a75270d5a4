import type Docker from 'dockerode';

/** Calls to an engine, each with a deadline. */
export interface DockerCalls {
  /**
   * One call with a deadline of `ms` milliseconds, 30 s if absent. Throws EngineRefusedError for an
   * error answer, ExecutorUnavailableError if none came, and the signal's reason.
   */
  call<T>(
    run: (docker: Docker, signal: AbortSignal) => Promise<T>,
    options: { readonly signal: AbortSignal; readonly ms?: number },
  ): Promise<T>;
}
