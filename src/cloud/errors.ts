import { OutcomeError, type OutcomeErrorOptions } from '../base/outcome.ts';

interface CloudCallErrorOptions extends OutcomeErrorOptions {
  readonly retryAfterMs?: number | undefined;
  readonly reason?: string | undefined;
  readonly status?: number | undefined;
  readonly wasSent?: boolean | undefined;
}

export class CloudCallError extends OutcomeError {
  override readonly name: string = 'CloudCallError';
  /** What `Retry-After` asked for. */
  readonly retryAfterMs: number | undefined;
  /** The answer's HTTP status, if one arrived. */
  readonly status: number | undefined;
  /** The cause; undefined if a retry would fail the same way. */
  readonly reason: string | undefined;
  /** False if the request never left: there was no connection, or calls are paused. */
  readonly wasSent: boolean;

  constructor(message: string, options: CloudCallErrorOptions) {
    super('cloud-unreachable', message, options);
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
    this.reason = options.reason;
    this.wasSent = options.wasSent ?? false;
  }

  /**
   * True if Pulumi Cloud may have acted on the call, and its answer is lost: neither its own refusal arrived, nor an
   * answer which says that no server took the request.
   */
  get isAnswerLost(): boolean {
    return this.wasSent && ((this.status ?? 502) < 400 || (this.status ?? 502) >= 500) && this.status !== 503;
  }
}

/** No usable answer: connection refused, reset or timed out; a redirect; or 408, 429 or a 5xx. */
export class CloudUnreachableError extends CloudCallError {
  override readonly name: string = 'CloudUnreachableError';
}

/** The answer to a poll was lost, and a deployment may have been handed out with it. */
export class LostClaimError extends CloudUnreachableError {
  override readonly name = 'LostClaimError';
}

/** Pulumi Cloud understood the call and refused it; a retry would not help. */
export class CloudRefusedError extends CloudCallError {
  override readonly name = 'CloudRefusedError';

  constructor(status: number, message: string, options: CloudCallErrorOptions) {
    super(message, { ...options, status });
  }
}

/**
 * A poll was answered with something that may be a claim and can't be read. Polling on would lose another deployment
 * each time, so nothing more is claimed.
 */
export class UnreadableClaimError extends CloudCallError {
  override readonly name = 'UnreadableClaimError';
}

/** Pulumi Cloud refused the credentials or found their permissions insufficient. */
export class AuthError extends OutcomeError {
  override readonly name = 'AuthError';

  constructor(message: string, options: OutcomeErrorOptions) {
    super('auth-error', message, options);
  }
}

export class JobDefinitionError extends OutcomeError {
  override readonly name = 'JobDefinitionError';

  constructor(message: string, options: OutcomeErrorOptions) {
    super('failed', message, options);
  }
}

/** The HTTP status that a call failed with; undefined if no answer arrived. */
export function refusedStatus(error: unknown): number | undefined {
  return error instanceof CloudCallError ? error.status : undefined;
}

/**
 * True for a refusal; other statuses, like no answer at all, mean that the service is unavailable.
 */
export function isRefusal(error: unknown): boolean {
  const status = refusedStatus(error) ?? 503;
  return status <= 501 && status !== 408 && status !== 429;
}
