import type { Clock } from '../clock.ts';
import type { DeploymentState } from '../cloud/deployments.ts';

/** Milliseconds between the first sign of a cancellation and the look that confirms it. */
const CONFIRM_MS = 1_000;

export interface CancellationOptions {
  readonly state: (signal: AbortSignal) => Promise<DeploymentState>;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Watches for the deployment's end while its job runs: seen twice, it was cancelled (protocol section 5). Network errors and
 * odd answers are not. Resolves true when cancelled, false when `signal` aborted.
 */
export async function cancelled({
  state,
  intervalMs,
  clock,
  signal,
  onFailure,
}: CancellationOptions): Promise<boolean> {
  let seen = 0;
  while (!signal.aborted) {
    await clock.sleep(seen > 0 ? Math.min(CONFIRM_MS, intervalMs) : intervalMs, signal).catch(() => undefined);
    if (signal.aborted) return false;
    try {
      const now = await state(signal);
      if (now === 'ended') seen += 1;
      else if (now === 'running') seen = 0;
    } catch (error) {
      if (signal.aborted) return false;
      onFailure(error);
    }
    if (seen >= 2) return true;
  }
  return false;
}
