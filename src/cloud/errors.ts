import { OutcomeError, type OutcomeErrorOptions } from '../outcome.ts';

interface CloudCallErrorOptions extends OutcomeErrorOptions {
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  readonly reason?: string;
}

/** A call to Pulumi Cloud had no success. */
export class CloudCallError extends OutcomeError {
  override readonly name: string = 'CloudCallError';
  /** Milliseconds that the answer asked to stay away. */
  readonly retryAfterMs: number | undefined;
  /** HTTP's, of an answer that came. */
  readonly status: number | undefined;
  /** What was in the way; undefined where another try meets with the same. */
  readonly reason: string | undefined;
  constructor(message: string, options: CloudCallErrorOptions) {
    super('cloud-unreachable', message, options);
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
    this.reason = options.reason;
  }
}

/** No usable answer came: the connection was refused or reset, timed out, was sent elsewhere, or brought 408, 429 or a 5xx. */
export class CloudUnreachableError extends CloudCallError {
  override readonly name = 'CloudUnreachableError';
}

/** Pulumi Cloud understood us and said no (a 4xx that no retry mends). */
export class CloudRefusedError extends CloudCallError {
  override readonly name = 'CloudRefusedError';
  constructor(status: number, message: string, options: Omit<CloudCallErrorOptions, 'status'>) {
    super(message, { ...options, status });
  }
}

/** Pulumi Cloud refused the credentials, or what they may do. */
export class AuthError extends OutcomeError {
  override readonly name = 'AuthError';
  constructor(message: string, options: OutcomeErrorOptions) {
    super('auth-error', message, options);
  }
}

/** The job's definition can't be run. */
export class JobDefinitionError extends OutcomeError {
  override readonly name = 'JobDefinitionError';
  constructor(message: string, options: OutcomeErrorOptions) {
    super('failed', message, options);
  }
}

/** The HTTP status that a call failed with; undefined when no answer came. */
export function refusedStatus(error: unknown): number | undefined {
  return error instanceof CloudCallError ? error.status : undefined;
}

/** True for an answer that says no: other statuses, like no answer at all, say that the service is away. */
export function isRefusal(error: unknown): boolean {
  const status = refusedStatus(error) ?? 503;
  return status <= 501 && status !== 408 && status !== 429;
}
