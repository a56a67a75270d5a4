import type { V1Pod } from '@kubernetes/client-node';
import { defined } from '../../../base/defined.ts';
import { AGENT_POD } from '../agent-pod.ts';
import { ownership } from '../objects.ts';
import {
  CONTROL_FOLDER,
  LEASE_OVER,
  LEASE_SECONDS,
  MAIN_SCRIPT,
  ORPHAN_GRACE_SECONDS,
} from './pod-scripts.ts';

/** The container that runs the job; templates merge into it by this name (protocol section 8). */
export const JOB_CONTAINER = 'pulumi-workflow';

/** The folder of the job's files, an emptyDir: any user that the image runs as can write there. */
export const JOB_FOLDER = '/mnt/pulumi';

/** Marks a pod that is kept when its job is over. */
export const KEPT_ANNOTATION = 'pulumi-runner.kept';

/** The annotation with the seconds from the pod's creation in which it must run; then a living agent gives it up. */
export const START_SECONDS = 'pulumi-runner.start-seconds';

/** A kept pod goes on running for so long, so that a user can enter it. */
const KEEP_SECONDS = 24 * 3600;

/** From the end of the grace period until the kubelet kills a deleted pod. */
const KILL_SECONDS = 15;

/**
 * Beyond the job's timeout and two grace periods, one for its step and one for its pod,
 * until the kubelet ends the pod: more than a living agent takes to reach and remove it. A job can
 * forge heartbeats, but not this.
 */
const DEADLINE_SECONDS = 900;

/** The longest `activeDeadlineSeconds` that Kubernetes takes. */
const LONGEST_SECONDS = 2 ** 31 - 1;

/**
 * Capabilities that container runtimes give root but a job in Docker lacks. Listed by name: Pod
 * Security `restricted` refuses a pod that drops "ALL" and adds others back.
 */
const DROPPED = ['AUDIT_WRITE', 'MKNOD', 'NET_BIND_SERVICE', 'NET_RAW', 'SETPCAP', 'SYS_CHROOT'];

/** The platform team's settings for every job's pod. */
export interface PodSettings {
  readonly cancelGracePeriodMs: number;
  readonly podStartTimeoutMs: number;
  readonly serviceAccount?: string | undefined;
  readonly containerRuntime?: string | undefined;
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never' | undefined;
  readonly debugPod?: boolean | undefined;
  readonly numCpus?: number | undefined;
  readonly memoryBytes?: number | undefined;
  /** The pod's time without the agent's heartbeat until it ends itself; LEASE_SECONDS if absent. */
  readonly leaseSeconds?: number | undefined;
  /** From then interrupting a running step until it is killed; ORPHAN_GRACE_SECONDS if absent. */
  readonly orphanGraceSeconds?: number | undefined;
  /**
   * Path of the agent's service account token, which names its pod; where kubelets put it if
   * absent.
   */
  readonly agentToken?: string | undefined;
}

/** A job's part of its pod. */
interface JobPodSpec {
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly platform?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/** A pod's part that neither its job nor the settings determine. */
interface PodIdentity {
  readonly name: string;
  readonly settings: PodSettings;
  readonly pullSecret?: string | undefined;
  /** The mark of `ownPod`. */
  readonly agentPod?: string | undefined;
}

/**
 * The pod of one job, without secrets. The platform becomes a node selector on the labels that
 * kubelets set.
 */
export function podFor(spec: JobPodSpec, { name, settings, pullSecret, agentPod }: PodIdentity): V1Pod {
  const { serviceAccount, containerRuntime, imagePullPolicy = 'IfNotPresent', debugPod = false } = settings;
  const { numCpus, memoryBytes } = settings;
  const { leaseSeconds = LEASE_SECONDS, orphanGraceSeconds = ORPHAN_GRACE_SECONDS } = settings;
  const [os, architecture] = spec.platform?.split('/') ?? [];
  const graceSeconds = Math.ceil(settings.cancelGracePeriodMs / 1000);
  const { timeoutMs } = spec;
  const limits = defined({ cpu: numCpus?.toString(), memory: memoryBytes?.toString() });
  const times = [leaseSeconds, orphanGraceSeconds, graceSeconds, debugPod ? KEEP_SECONDS : 0];

  const labels = defined({
    ...spec.labels,
    [START_SECONDS]: String(Math.ceil(settings.podStartTimeoutMs / 1000)),
    [AGENT_POD]: agentPod,
    [KEPT_ANNOTATION]: debugPod ? 'true' : undefined,
  });

  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...ownership(labels) },
    spec: {
      restartPolicy: 'Never',
      // Deployments should not see the kubelet's variables for every service in the namespace.
      enableServiceLinks: false,
      terminationGracePeriodSeconds: graceSeconds + KILL_SECONDS,
      ...defined({
        activeDeadlineSeconds:
          timeoutMs === undefined || debugPod
            ? undefined
            : Math.min(Math.ceil(timeoutMs / 1000) + 2 * graceSeconds + DEADLINE_SECONDS, LONGEST_SECONDS),
        serviceAccountName: serviceAccount,
        runtimeClassName: containerRuntime,
        // A configured account decides itself whether its token is mounted.
        automountServiceAccountToken: serviceAccount === undefined ? false : undefined,
        imagePullSecrets: pullSecret === undefined ? undefined : [{ name: pullSecret }],
        nodeSelector:
          os === undefined || architecture === undefined
            ? undefined
            : { 'kubernetes.io/os': os, 'kubernetes.io/arch': architecture },
      }),
      containers: [
        {
          name: JOB_CONTAINER,
          image: spec.image,
          imagePullPolicy,
          command: ['sh', '-c', MAIN_SCRIPT, CONTROL_FOLDER],
          args: [...times.map(String), LEASE_OVER],
          workingDir: '/',
          resources: { limits, requests: limits },
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: [...DROPPED] },
            seccompProfile: { type: 'RuntimeDefault' },
          },
          volumeMounts: [
            { name: 'pulumi', mountPath: JOB_FOLDER },
            { name: 'pulumi-runner', mountPath: CONTROL_FOLDER },
          ],
        },
      ],
      volumes: [
        { name: 'pulumi', emptyDir: {} },
        { name: 'pulumi-runner', emptyDir: {} },
      ],
    },
  };
}
