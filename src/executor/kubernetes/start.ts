import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreV1Event, V1Pod } from '@kubernetes/client-node';
import { oneLine } from '../one-line.ts';
import { patienceOf } from './cluster.ts';
import { eventsOf, hasHappened, jobStatus, readPod } from './look.ts';
import { JOB_CONTAINER } from './pod.ts';
import { type FailureOptions, hopeless, notInTime, refusedContainer } from './start-failure.ts';

/** Milliseconds between two looks at the pod: at first, and once it takes long. */
const LOOK_MS = 100;
const LONG_LOOK_MS = 1_000;
const LONG_MS = 10_000;

export interface StartOptions extends FailureOptions {
  readonly progress: (line: string) => Promise<void>;
  /** Milliseconds until the pod must run. */
  readonly timeoutMs: number;
  /** The lines that `progress` has had of the pod's events. */
  readonly told: Set<string>;
}

export interface StartedPod {
  readonly pod: V1Pod;
  /** The pod's status says it; else its events do, which a kubelet sends up to a second earlier. */
  readonly isStated: boolean;
}

/**
 * Waits until the job's container runs, by its status or, when `early`, by its events; each thing that happens to the pod goes to
 * `progress`. Throws ImageError or ContainerError with the pod's last events when it can't, or not within the time.
 */
export async function untilRunning(options: StartOptions, { early }: { early: boolean }): Promise<StartedPod> {
  const { cluster, pod: name, signal, timeoutMs } = options;
  const begun = performance.now();
  let last: { readonly container: string; readonly since: number } | undefined;
  for (;;) {
    const [pod, events] = await Promise.all([
      readPod(cluster, name, signal, patienceOf(signal)),
      eventsOf(cluster, name, signal),
    ]);
    await tell(options, events);
    const isStated = jobStatus(pod)?.state?.running !== undefined;
    if (isStated || (early && hasStarted(pod, events))) return { pod, isStated };
    const now = performance.now();
    const refused = refusedContainer(pod);
    if (refused?.name !== last?.container) last = refused && { container: refused.name, since: now };
    const over = await hopeless(options, pod, { refused, refusedMs: now - (last?.since ?? now) });
    if (over !== undefined) throw over;
    if (now - begun >= timeoutMs) throw await notInTime(options, pod, timeoutMs);
    await sleep(now - begun > LONG_MS ? LONG_LOOK_MS : LOOK_MS, undefined, { signal });
  }
}

/** A hook after the start belongs to the start, and is over only when the status says that the container runs. */
function hasStarted({ spec }: V1Pod, events: readonly CoreV1Event[]): boolean {
  const container = spec?.containers.find(({ name }) => name === JOB_CONTAINER);
  if (container?.lifecycle?.postStart !== undefined) return false;
  return hasHappened('Started', events);
}

async function tell({ progress, told }: StartOptions, events: readonly CoreV1Event[]): Promise<void> {
  for (const { reason = '', message = '' } of events) {
    const line = `${reason}: ${oneLine(message)}.`;
    if (told.has(line)) continue;
    told.add(line);
    await progress(line);
  }
}
