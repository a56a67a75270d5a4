import { setTimeout as sleep } from 'node:timers/promises';
import type { V1ContainerState, V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import type { Fault } from '../../../base/outcome.ts';
import { ContainerError, ImageError } from '../../executor.ts';
import { oneLine } from '../../foreign-text.ts';
import { pullRemedy } from '../../pull-advice.ts';
import type { Cluster } from '../cluster.ts';
import { deletedFromOutside, endedByCluster } from './loss.ts';
import { JOB_CONTAINER } from './pod.ts';
import { eventsOf, eventText, jobStatus } from './status.ts';

/** Between reads of the pod. */
const CHECK_MS = 500;

/**
 * A container can fail to start for so long before the job fails, as kubelets retry. A pull has the pod's whole time, as registries recover, unless the registry refuses the image.
 */
const REFUSED_MS = 20_000;

/**
 * Waiting reasons of a container that is starting; with any other, its kubelet can't start it
 * (Kubernetes 1.33).
 */
const ON_ITS_WAY = ['', 'ContainerCreating', 'PodInitializing'];

/** Reasons of a pull that its kubelet tries again. */
const PULL = /^(ErrImagePull|ImagePullBackOff|RegistryUnavailable)$/;

/** Reasons that are about the image. */
const IMAGE = /Image|^Registry|^Signature/;

/**
 * Waits until the pod runs; events go to `progress`. Throws ImageError or ContainerError if it
 * can't, or not within `timeoutMs` milliseconds.
 */
export async function untilRunning(
  cluster: Cluster,
  name: string,
  timeoutMs: number,
  progress: (line: string) => Promise<void>,
  signal: AbortSignal,
): Promise<V1Pod> {
  // Only the events of a removed pod remain.
  const logsAdvice = `See kubectl get events -n ${await cluster.namespace()} --field-selector involvedObject.name=${name}; PULUMI_AGENT_DEBUG_POD=true keeps such a pod, for kubectl logs.`;
  const begun = performance.now();
  const lines = new Set<string>();
  let refusedAt: number | undefined;

  for (;;) {
    const pod = await cluster.call<V1Pod>({ verb: 'get', resource: 'pods', name, signal, retry: signal });
    const events = await eventsOf(cluster, name, signal);

    for (const { reason = '', message = '' } of events) {
      const line = `${reason}: ${oneLine(message)}.`;
      if (!lines.has(line)) await progress(line);
      lines.add(line);
    }

    if (jobStatus(pod)?.state?.running !== undefined) return pod;

    const now = performance.now();
    const refused = refusedContainer(pod);

    refusedAt = refused && (refusedAt ?? now);

    const attempt: Attempt = { pod, name, events: eventText(events), logsAdvice };
    const isOver = pod.metadata?.deletionTimestamp !== undefined || pod.status?.phase === 'Failed';
    if (isOver || jobStatus(pod)?.state?.terminated !== undefined) throw whyEnded(attempt);

    const isLate = now - begun >= timeoutMs;
    const error = refused && whyRefused(attempt, refused, { ms: now - (refusedAt ?? now), isLate });
    if (error !== undefined) throw error;
    if (isLate) throw whyLate(attempt, timeoutMs);

    await sleep(CHECK_MS, undefined, { signal });
  }
}

/**
 * The first container that its kubelet can't start, in starting order, the job's own before its
 * sidecars.
 */
function refusedContainer({ status }: V1Pod): V1ContainerStatus | undefined {
  const { initContainerStatuses: first = [], containerStatuses: rest = [] } = status ?? {};
  const jobs = rest.filter(({ name }) => name === JOB_CONTAINER);
  return [...first, ...jobs, ...rest].find(({ state }) => !ON_ITS_WAY.includes(state?.waiting?.reason ?? ''));
}

/** A pod that does not start, as last read, and the parts that end its error messages. */
interface Attempt {
  readonly pod: V1Pod;
  readonly name: string;
  /** Its last events, as the end of a sentence. */
  readonly events: string;
  /** Where to read about it. */
  readonly logsAdvice: string;
}

function failed(
  { name, events }: Attempt,
  why: string,
  advice: string,
  { fault = 'executor', mayPass = false }: { readonly fault?: Fault; readonly mayPass?: boolean } = {},
): ContainerError {
  const message = `Failed to start pod ${name} for the job: ${why}${events}. ${advice}`;
  return new ContainerError(message, { code: 'PRA-K8S-15', fault, mayPass });
}

/** Refusals of an image without a shell, with a wrong user or for another platform. */
const OF_IMAGE =
  /exec format error|\bsh\b["'`]?:? .*(not found|no such file|permission denied)|executable\b.{0,20}\bsh\b|unable to find user|no users found|runAsNonRoot|non-numeric user/i;

/**
 * The error for a container that has failed to start for `ms` milliseconds; undefined while it can
 * still start. `isLate` is true once the pod's time is up.
 */
function whyRefused(
  attempt: Attempt,
  { name, image, state }: V1ContainerStatus,
  { ms, isLate }: { readonly ms: number; readonly isLate: boolean },
): Error | undefined {
  const { reason = '', message = '' } = state?.waiting ?? {};
  const isFinal = reason === 'InvalidImageName' || reason === 'ErrImageNeverPull';
  const isJobs = name === JOB_CONTAINER;
  const refused = pullRemedy({ message: `${message || reason}${attempt.events}` }, { image }).fault;
  const mayCome = PULL.test(reason) && refused !== 'deployment';
  if (!isFinal && !isLate && (mayCome || ms < REFUSED_MS)) return undefined;

  const isInit = attempt.pod.status?.initContainerStatuses?.some((each) => each.name === name) ?? false;
  const container = `${isInit ? 'init container' : 'container'} ${name}`;
  if (!IMAGE.test(reason))
    return failed(attempt, `${container}: ${reason}: ${oneLine(message)}`, attempt.logsAdvice, {
      fault: isJobs && OF_IMAGE.test(message) ? 'deployment' : 'executor',
    });

  const subject = `${image}${isJobs ? '' : ` of ${container}`} for the job`;
  if (reason === 'ErrImageNeverPull') {
    return new ImageError(
      `Failed to find image ${subject}: it is not on the node, and the pull policy is Never. Load it there, or set ${isJobs ? 'image-pull-policy' : 'imagePullPolicy in the pod template'} to IfNotPresent.`,
      { code: 'PRA-K8S-18', fault: isJobs ? 'deployment' : 'executor' },
    );
  }

  if (mayCome) {
    return new ImageError(
      `Failed to pull image ${subject}: ${oneLine(message) || reason}${attempt.events}. Check that the nodes reach the registry, or raise pod-start-timeout if it needs longer.`,
      { code: 'PRA-K8S-17', fault: 'elsewhere' },
    );
  }

  return new ImageError(
    `Failed to pull image ${subject}: ${oneLine(message) || reason}${attempt.events}. Check the image's name, and its registry's credentials ${isJobs ? 'in the deployment settings or ' : ''}as imagePullSecrets of the service account.`,
    { code: 'PRA-K8S-17', fault: isJobs ? refused : 'elsewhere' },
  );
}

function whyLate(attempt: Attempt, timeoutMs: number): ContainerError {
  const { pod, name, events, logsAdvice } = attempt;
  const { conditions, initContainerStatuses = [] } = pod.status ?? {};
  const seconds = Math.round(timeoutMs / 100) / 10;
  const scheduled = conditions?.find(({ type }) => type === 'PodScheduled');

  if (scheduled?.status === 'False') {
    return new ContainerError(
      `Failed to schedule pod ${name} for the job: no node took it within ${seconds} s: ${oneLine(scheduled.message ?? scheduled.reason ?? '')}${events}. Add nodes, reduce the job's requests, or correct the node selector and tolerations in the pod template.`,
      { code: 'PRA-K8S-16', fault: isForPlatform(pod, scheduled.message) ? 'deployment' : 'executor' },
    );
  }

  // A sidecar (restartPolicy Always) is meant to go on running.
  const sidecars = pod.spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always') ?? [];
  const init = initContainerStatuses.find(
    (status) => status.state?.running !== undefined && !sidecars.some((each) => each.name === status.name),
  );
  const why = init === undefined ? '' : `: init container ${init.name} has not ended`;

  return failed(
    attempt,
    `it did not run within ${seconds} s${why}`,
    `Raise pod-start-timeout if it needs longer. ${logsAdvice}`,
  );
}

/** True if no node fits the platform that the deployment asks for. */
function isForPlatform({ spec }: V1Pod, message = ''): boolean {
  return (
    spec?.nodeSelector?.['kubernetes.io/arch'] !== undefined && /node (affinity|selector)/i.test(message)
  );
}

function whyEnded(attempt: Attempt): ContainerError {
  const { pod, logsAdvice } = attempt;
  const isDeleted = pod.metadata?.deletionTimestamp !== undefined;
  const ending = endedByCluster(pod) ?? (isDeleted ? deletedFromOutside('is being') : undefined);
  if (ending !== undefined) return failed(attempt, ...ending, { mayPass: true });

  const init = pod.status?.initContainerStatuses?.find(
    ({ state }) => (state?.terminated?.exitCode ?? 0) !== 0,
  );
  if (init !== undefined) {
    const why = `init container ${init.name} ended with ${exitOf(init.state)}`;
    return failed(attempt, why, `Correct it in the pod template. ${logsAdvice}`);
  }

  const state = jobStatus(pod)?.state;
  const { reason = '', message = '' } = state?.terminated ?? {};
  const isRefused = /^(StartError|ContainerCannotRun)$/.test(reason) && !OF_IMAGE.test(message);
  return failed(
    attempt,
    `it ended at once: ${exitOf(state)}`,
    `Use an image with a POSIX shell. ${logsAdvice}`,
    {
      fault: isRefused ? 'executor' : 'deployment',
    },
  );
}

/** `exit code 3: <the container's termination message>`. */
function exitOf(state: V1ContainerState | undefined): string {
  const { exitCode, reason = '', message = '' } = state?.terminated ?? { exitCode: '?' };
  const how = `exit code ${exitCode}${/^(Error|Completed)?$/.test(reason) ? '' : ` (${reason})`}`;
  return message.trim() === '' ? how : `${how}: ${oneLine(message)}`;
}
