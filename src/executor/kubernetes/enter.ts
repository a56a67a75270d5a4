import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, OutcomeError } from '../../outcome.ts';
import { ContainerError, ExecutorUnavailableError } from '../executor.ts';
import { oneLine } from '../one-line.ts';
import { patienceOf } from './cluster.ts';
import type { Control } from './control.ts';
import { ApiRefusedError } from './errors.ts';
import type { StartedPod } from './start.ts';

/** Milliseconds for the way into a container whose pod isn't stated to run yet. */
const EARLY_MS = 5_000;
const RETRY_MS = 1_000;

/**
 * Opens the stream into the container as soon as anything tells that it runs; where it can't be opened then, once the pod's status
 * says so. `whileWaiting` is called once, when the container runs. Throws what stands in the way.
 */
export async function enter(
  control: Control,
  look: (early: boolean) => Promise<StartedPod>,
  signal: AbortSignal,
  whileWaiting: (() => void) | undefined,
): Promise<StartedPod> {
  const patience = patienceOf(signal);
  let started = await look(true);
  whileWaiting?.();
  for (const begun = performance.now(); ; started = await look(false)) {
    try {
      await control.open(started.isStated ? signal : AbortSignal.any([signal, AbortSignal.timeout(EARLY_MS)]));
      return started;
    } catch (error) {
      signal.throwIfAborted();
      if (started.isStated && (isFinal(error) || performance.now() - begun > patience.ms)) throw barred(error);
      if (started.isStated) await sleep(RETRY_MS, undefined, { signal });
    }
  }
}

/** The sentence for what isn't one yet. */
function barred(error: unknown): unknown {
  if (error instanceof ApiRefusedError || error instanceof OutcomeError) return error;
  return new ExecutorUnavailableError(
    `Failed to enter the pod for the job: ${oneLine(messageOf(error))}. Check the API server, the kubelet and the network between them.`,
    { cause: error },
  );
}

/** True for what another try doesn't change. */
function isFinal(error: unknown): boolean {
  if (error instanceof ApiRefusedError) return error.status < 500 && error.status !== 429;
  return error instanceof ContainerError;
}
