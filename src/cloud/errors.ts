import { OutcomeError } from '../outcome.ts';

/** No usable answer came: refused, reset, timed out, or a 5xx to the end. */
export class CloudUnreachableError extends OutcomeError {
  override readonly name = 'CloudUnreachableError';
  /** Milliseconds that the last answer asked to stay away. */
  readonly retryAfterMs: number | undefined;
  /** HTTP's, of an answer that came: 408, 429 or 5xx. */
  readonly status: number | undefined;
  constructor(
    message: string,
    options?: ErrorOptions & { retryAfterMs?: number | undefined; status?: number | undefined },
  ) {
    super('cloud-unreachable', message, options);
    this.retryAfterMs = options?.retryAfterMs;
    this.status = options?.status;
  }
}

/** Pulumi Cloud refused the credentials, or what they may do. */
export class AuthError extends OutcomeError {
  override readonly name = 'AuthError';
  constructor(message: string, options?: ErrorOptions) {
    super('auth-error', message, options);
  }
}

/** Pulumi Cloud understood us and said no (a 4xx that no retry mends). */
export class CloudRefusedError extends Error {
  override readonly name = 'CloudRefusedError';
  readonly status: number;
  /** Milliseconds that the answer asked to stay away. */
  readonly retryAfterMs: number | undefined;
  constructor(status: number, message: string, options?: ErrorOptions & { retryAfterMs?: number | undefined }) {
    super(message, options);
    this.status = status;
    this.retryAfterMs = options?.retryAfterMs;
  }
}

/** The HTTP status that a call failed with; undefined when no answer came. */
export function refusedStatus(error: unknown): number | undefined {
  return error instanceof CloudRefusedError || error instanceof CloudUnreachableError ? error.status : undefined;
}

/** The job's definition can't be run. */
export class JobDefinitionError extends OutcomeError {
  override readonly name = 'JobDefinitionError';
  constructor(message: string, options?: ErrorOptions) {
    super('failed', message, options);
  }
}
