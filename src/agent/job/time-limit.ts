import { formatDuration } from '../../base/config/duration.ts';
import type { Stop } from './stop.ts';

/** The shorter of the agent's and the job's limit, in milliseconds, and the stop at its end. */
export function timeLimit(
  { softTimeoutMs = Number.POSITIVE_INFINITY }: { readonly softTimeoutMs?: number | undefined },
  { timeoutMs = Number.POSITIVE_INFINITY }: { readonly timeoutMs?: number },
): { readonly ms?: number; readonly stop: Stop } {
  const ms = Math.min(softTimeoutMs, timeoutMs);
  const reason =
    softTimeoutMs < timeoutMs
      ? `the job ran for longer than soft_timeout (${formatDuration(ms)})`
      : `the job timed out after ${formatDuration(ms)}`;
  return { ...(Number.isFinite(ms) && { ms }), stop: { by: 'timeout', reason } };
}
