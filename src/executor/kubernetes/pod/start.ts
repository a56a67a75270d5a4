import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreV1Event, V1ContainerState, V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { ContainerError, ImageError } from '../../executor.ts';
import { oneLine } from '../../one-line.ts';
import type { Cluster } from '../cluster.ts';
import { deletedFromOutside, endedByCluster } from './loss.ts';
import { JOB_CONTAINER } from './pod.ts';
import { eventsOf, eventText, jobStatus, readPod } from './status.ts';

/** Milliseconds between two looks at the pod. */
const LOOK_MS = 500;
/** Milliseconds for which a container may be refused before the job fails: kubelets try again, as a registry may recover. */
const REFUSED_MS = 20_000;

/** What a container waits for on its way; any other reason is a kubelet's for one that it can't start (Kubernetes 1.33). */
const ON_ITS_WAY = ['', 'ContainerCreating', 'PodInitializing'];
/** Reasons that are about the image. */
const IMAGE = /Image|^Registry|^Signature/;

export interface StartOptions {
  readonly cluster: Cluster;
  readonly pod: string;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => Promise<void>;
  /** Milliseconds until the pod must run. */
  readonly timeoutMs: number;
}

/** Waits until the job's container runs; the pod's events go to `progress`. Throws ImageError or ContainerError when it can't, or not in time. */
export async function untilRunning(options: StartOptions): Promise<V1Pod> {
  const { cluster, pod: name, signal, timeoutMs, progress } = options;
  const begun = performance.now();
  const lines = new Set<string>();
  let refusal: { readonly container: string; readonly since: number } | undefined;
  for (;;) {
    const pod = await readPod(cluster, name, signal, signal);
    const events = await eventsOf(cluster, name, signal);
    for (const { reason = '', message = '' } of events) {
      const line = `${reason}: ${oneLine(message)}.`;
      if (!lines.has(line)) await progress(line);
      lines.add(line);
    }
    if (jobStatus(pod)?.state?.running !== undefined) return pod;
    const now = performance.now();
    const refused = refusedContainer(pod);
    if (refused?.name !== refusal?.container) refusal = refused && { container: refused.name, since: now };
    const failure = new StartFailure(pod, { ...options, namespace: await cluster.namespace(), events });
    const error = failure.whyNever(refused, now - (refusal?.since ?? now));
    if (error !== undefined) throw error;
    if (now - begun >= timeoutMs) throw failure.notInTime();
    await sleep(LOOK_MS, undefined, { signal });
  }
}

/** A container that its kubelet can't start: the first in the order of their start, the job's own before its neighbours. */
function refusedContainer({ status }: V1Pod): V1ContainerStatus | undefined {
  const { initContainerStatuses: first = [], containerStatuses: rest = [] } = status ?? {};
  const jobs = rest.filter(({ name }) => name === JOB_CONTAINER);
  return [...first, ...jobs, ...rest].find(({ state }) => !ON_ITS_WAY.includes(state?.waiting?.reason ?? ''));
}

/** The sentences for a pod that does not start, as it stood when it was read. */
class StartFailure {
  readonly #pod: V1Pod;
  readonly #events: string;
  readonly #options: StartOptions & { readonly namespace: string };

  constructor(pod: V1Pod, options: StartOptions & { readonly namespace: string; readonly events: CoreV1Event[] }) {
    this.#pod = pod;
    this.#options = options;
    this.#events = eventText(options.events);
  }

  /** Why the pod will never run; undefined while it may. `refusedMs`: for how long the refused container has been that. */
  whyNever(refused: V1ContainerStatus | undefined, refusedMs: number): Error | undefined {
    const { metadata, status } = this.#pod;
    if (metadata?.deletionTimestamp !== undefined || status?.phase === 'Failed') return this.#ended();
    if (jobStatus(this.#pod)?.state?.terminated !== undefined) return this.#ended();
    const { reason = '', message = '' } = refused?.state?.waiting ?? {};
    const isFinal = reason === 'InvalidImageName' || reason === 'ErrImageNeverPull' || refusedMs >= REFUSED_MS;
    if (refused === undefined || !isFinal) return undefined;
    if (IMAGE.test(reason)) return this.#unusableImage(refused, reason, message);
    return this.#failed(`${this.#labelOf(refused.name)}: ${reason}: ${oneLine(message)}`, this.#more());
  }

  notInTime(): ContainerError {
    const { pod, timeoutMs } = this.#options;
    const { conditions, initContainerStatuses = [] } = this.#pod.status ?? {};
    const seconds = Math.round(timeoutMs / 100) / 10;
    const scheduled = conditions?.find(({ type }) => type === 'PodScheduled');
    if (scheduled?.status === 'False') {
      return new ContainerError(
        `Failed to schedule pod ${pod} for the job: no node took it within ${seconds} s: ${oneLine(scheduled.message ?? scheduled.reason ?? '')}${this.#events}. Add nodes, let the job ask for less, or correct node selector and tolerations in the pod template.`,
        { code: 'PRA-K8S-16' },
      );
    }
    // A sidecar, which is always restarted, is meant to run on.
    const sidecars = this.#pod.spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always') ?? [];
    const init = initContainerStatuses.find(
      ({ name, state }) => state?.running !== undefined && !sidecars.some((each) => each.name === name),
    );
    const why = init === undefined ? '' : `: init container ${init.name} has not ended`;
    const advice = `Raise pod-start-timeout if it takes so long. ${this.#more()}`;
    return this.#failed(`it did not run within ${seconds} s${why}`, advice);
  }

  #ended(): ContainerError {
    const { metadata, status = {} } = this.#pod;
    const isDeleted = metadata?.deletionTimestamp !== undefined;
    const ending = endedByCluster(this.#pod) ?? (isDeleted ? deletedFromOutside('is being') : undefined);
    if (ending !== undefined) return this.#failed(...ending);
    const init = status.initContainerStatuses?.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
    if (init !== undefined) {
      const why = `init container ${init.name} ended with ${exitOf(init.state)}`;
      return this.#failed(why, `Correct it in the pod template. ${this.#more()}`);
    }
    const state = jobStatus(this.#pod)?.state;
    if (state?.terminated !== undefined)
      return this.#failed(`it ended at once: ${exitOf(state)}`, `Use an image with a POSIX shell. ${this.#more()}`);
    const { reason = 'Failed', message = '' } = status;
    return this.#failed(`it ended at once: ${oneLine(`${reason}: ${message}`)}`, this.#more());
  }

  #unusableImage({ name, image }: V1ContainerStatus, reason: string, message: string): ImageError {
    const isJobs = name === JOB_CONTAINER;
    const subject = `${image}${isJobs ? '' : ` of ${this.#labelOf(name)}`} for the job`;
    if (reason === 'ErrImageNeverPull') {
      return new ImageError(
        `Failed to find image ${subject}: it is not on the node, and the pull policy is Never. Load it there, or set ${isJobs ? 'image-pull-policy' : 'imagePullPolicy in the pod template'} to IfNotPresent.`,
        { code: 'PRA-K8S-18' },
      );
    }
    const why = `${oneLine(message) || reason}${this.#events}`;
    const where = isJobs ? 'in the deployment settings or as' : 'as';
    return new ImageError(
      `Failed to pull image ${subject}: ${why}. Check the image's name, and its registry's credentials ${where} imagePullSecrets of the service account.`,
      { code: 'PRA-K8S-17' },
    );
  }

  #labelOf(container: string): string {
    const isInit = this.#pod.status?.initContainerStatuses?.some(({ name }) => name === container) ?? false;
    return `${isInit ? 'init container' : 'container'} ${container}`;
  }

  #failed(why: string, advice: string): ContainerError {
    return new ContainerError(
      `Failed to start pod ${this.#options.pod} for the job: ${why}${this.#events}. ${advice}`,
      { code: 'PRA-K8S-15' },
    );
  }

  /** Where more can be seen: a removed pod leaves its events only. */
  #more(): string {
    const { pod, namespace } = this.#options;
    return `See kubectl get events -n ${namespace} --field-selector involvedObject.name=${pod}; PULUMI_AGENT_DEBUG_POD=true keeps such a pod, for kubectl logs.`;
  }
}

/** `exit code 3: what the container says of it`. */
function exitOf(state: V1ContainerState | undefined): string {
  const { exitCode, reason = '', message = '' } = state?.terminated ?? { exitCode: '?' };
  const how = `exit code ${exitCode}${/^(Error|Completed)?$/.test(reason) ? '' : ` (${reason})`}`;
  return message.trim() === '' ? how : `${how}: ${oneLine(message)}`;
}
