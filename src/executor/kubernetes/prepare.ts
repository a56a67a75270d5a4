import { randomBytes } from 'node:crypto';
import type { V1Pod } from '@kubernetes/client-node';
import { messageOf } from '../../outcome.ts';
import { ContainerError, type ContainerSpec, type JobContainer } from '../executor.ts';
import { type Cluster, patienceOf } from './cluster.ts';
import { Control, ControlLostError } from './control.ts';
import { enter } from './enter.ts';
import { refusedWith, targetError } from './errors.ts';
import { PodImage } from './image.ts';
import { isDoomed, readPod, standingOf } from './look.ts';
import { becameOf, lossOf } from './loss.ts';
import { createObject } from './objects.ts';
import { JOB_CONTAINER, JOB_FOLDER, type PodSettings, podFor } from './pod.ts';
import { PodContainer } from './pod-container.ts';
import { LEASE_SECONDS, ORPHAN_GRACE_SECONDS } from './pod-scripts.ts';
import { createPullSecret, ownSecret, removeSecret } from './pull-secret.ts';
import { removePodAndSecret } from './removal.ts';
import { untilRunning } from './start.ts';
import type { PodContext } from './step-context.ts';
import { keptUnstarted } from './words.ts';

/** Milliseconds to look whether a pod still runs. */
const LOOK_MS = 10_000;

export interface PrepareOptions {
  readonly spec: ContainerSpec;
  readonly settings: PodSettings;
  /** Merges the platform team's template over a pod. */
  readonly template: (pod: V1Pod, signal: AbortSignal) => Promise<V1Pod>;
  readonly progress: (line: string) => Promise<void>;
  readonly signal: AbortSignal;
  readonly stopMs: number;
  readonly logger: PodContext['logger'];
}

/** Makes the pod of a job and waits until it obeys. Leaves nothing behind on failure or abort, but for a pod that is to be kept. */
export async function preparePod(cluster: Cluster, options: PrepareOptions): Promise<JobContainer> {
  const { settings, template, progress, signal, stopMs, logger } = options;
  // The name is ours from the start, so that a pod whose creation was never answered can be removed too.
  const name = `pulumi-workflow-${randomBytes(6).toString('hex')}`;
  // Before anything is asked of a registry: the name in full, as a short one may mean something else to a node.
  const spec = { ...options.spec, image: options.spec.policy?.check(options.spec.image) ?? options.spec.image };
  const { credentials } = spec;
  const pullSecret = credentials === undefined ? undefined : name;
  const kept = settings.keepPods === true;
  let control: Control | undefined;
  let made: V1Pod | undefined;
  let node: string | undefined;
  // Until it is its pod's, which it then goes with.
  let secretLeft = pullSecret;
  try {
    if (credentials !== undefined) {
      await createPullSecret(cluster, { name, image: spec.image, credentials, labels: spec.labels, signal }).catch(
        (error: unknown) => Promise.reject(targetError(error, 'create the pull secret')),
      );
    }
    const wanted = podFor(spec, { name, settings, ...(pullSecret === undefined ? {} : { pullSecret }) });
    made = await create(cluster, await template(wanted, signal), signal);
    await progress(`Created pod ${name} in namespace ${await cluster.namespace()}.`);
    if (pullSecret !== undefined) {
      try {
        await ownSecret(cluster, { name: pullSecret, pod: name, uid: made.metadata?.uid ?? '', signal });
        secretLeft = undefined;
      } catch (error) {
        const why = messageOf(error);
        logger('warning', `The pull secret stays until the job is over, as it could not be given to its pod: ${why}`);
      }
    }
    const isAlive = async () => (await standingOf(cluster, name, AbortSignal.timeout(LOOK_MS))) !== 'over';
    control = new Control({
      cluster,
      pod: name,
      container: JOB_CONTAINER,
      leaseSeconds: settings.leaseSeconds ?? LEASE_SECONDS,
      orphanGraceSeconds: settings.orphanGraceSeconds ?? ORPHAN_GRACE_SECONDS,
      isAlive,
      onTrouble: (text) => logger('warning', text),
    });
    const { startTimeoutMs: timeoutMs } = settings;
    const start = { cluster, pod: name, kept, progress, signal, timeoutMs, told: new Set<string>() };
    const { pod } = await enter(control, (early) => untilRunning(start, { early }), signal, spec.whileStarting);
    const image = new PodImage(pod, spec.image);
    // A pod that stays keeps no credentials.
    const secret = kept ? pullSecret : secretLeft;
    node = pod.spec?.nodeName;
    await progress(`Runs on node ${node ?? '?'}.`);
    const { environmentFile, variables } = await putFiles(control, spec, signal);
    return new PodContainer({
      context: {
        cluster,
        pod: name,
        container: JOB_CONTAINER,
        control,
        environmentFile,
        variables,
        logger,
        oomKills: 0,
        state: undefined,
        isAlive,
        isDoomed: () => isDoomed(cluster, name, AbortSignal.timeout(LOOK_MS)),
      },
      image,
      stopMs,
      keep: kept,
      ...(secret === undefined ? {} : { secret }),
      loss: () => lossOf(cluster, name, node),
    });
  } catch (error) {
    // Asked while the pod is there.
    const why = signal.aborted ? error : await whyLost(cluster, error, { pod: name, node });
    // First error wins; what the removal says goes to the log.
    const warn = (left: unknown) => logger('warning', String(left));
    if (kept && made !== undefined && !refusedWith(error, 404)) {
      logger('warning', keptUnstarted({ pod: name, namespace: await cluster.namespace() }));
      // Credentials don't stay with it: its kubelet has had them.
      if (pullSecret !== undefined) await removeSecret(cluster, pullSecret).catch(warn);
    } else
      await removePodAndSecret(cluster, { pod: name, secret: pullSecret, ms: stopMs, graceSeconds: 0 }).catch(warn);
    control?.close();
    signal.throwIfAborted();
    throw targetError(why, 'start the pod');
  }
}

/** The sentence for a pod that went away before its first step; other errors stay as they are. */
async function whyLost(
  cluster: Cluster,
  error: unknown,
  { pod, node }: { pod: string; node: string | undefined },
): Promise<unknown> {
  const isGone =
    error instanceof ControlLostError || (refusedWith(error, 404) && /^pods\b/.test(error.subject.resource));
  if (!isGone) return error;
  try {
    const [[why, advice], events] = await becameOf(cluster, pod, node);
    return new ContainerError(`Failed to start pod ${pod} for the job: ${why}${events}. ${advice}`, { cause: error });
  } catch {
    return error;
  }
}

async function create(cluster: Cluster, pod: V1Pod, signal: AbortSignal): Promise<V1Pod> {
  try {
    const made = await createObject(cluster, { kind: 'pods', body: pod, signal });
    return made ?? (await readPod(cluster, pod.metadata?.name ?? '', signal, patienceOf(signal)));
  } catch (error) {
    throw targetError(error, 'create the pod');
  }
}

/**
 * Puts the job's files into the pod. Where the image's user may not write at the environment file's place, the steps are told
 * of another one.
 */
async function putFiles(
  control: Control,
  { files, environmentFile }: ContainerSpec,
  signal: AbortSignal,
): Promise<{ environmentFile: string; variables: Record<string, string> }> {
  for (const file of files) {
    if (await control.putFile(file, signal)) continue;
    if (file.path !== environmentFile) {
      throw new ContainerError(
        `Failed to put file ${file.path} into the pod for the job: it is there already, or its folder is not writable. Use an image whose user may write below ${JOB_FOLDER}.`,
      );
    }
    const other = `${JOB_FOLDER}/environment`;
    await control.putFile({ ...file, path: other }, signal);
    return { environmentFile: other, variables: { PULUMI_ENV_FILE: other } };
  }
  return { environmentFile, variables: {} };
}
