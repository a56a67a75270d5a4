import type { V1Pod } from '@kubernetes/client-node';
import { defined } from '../../../defined.ts';
import type { ContainerSpec } from '../../executor.ts';
import { ownership } from '../objects.ts';
import { CONTROL_FOLDER, LEASE_SECONDS, MAIN_SCRIPT, ORPHAN_GRACE_SECONDS } from './pod-scripts.ts';

/** The container that runs the job; templates merge into it by this name (protocol section 8). */
export const JOB_CONTAINER = 'pulumi-workflow';
/** The empty folder of the job's own files: whatever user the image runs as may write there. */
export const JOB_FOLDER = '/mnt/pulumi';
/** Marks a pod that stays when its job is over. */
export const KEPT = 'pulumi-runner.kept';
/** Says in how many seconds from its creation the pod must run: past them its agent gives it up, if there still is one. */
export const START_SECONDS = 'pulumi-runner.start-seconds';
/** Seconds that such a pod stays open to be entered. */
const KEEP_SECONDS = 24 * 3600;
/** Seconds beyond the grace period until the kubelet kills a deleted pod. */
const KILL_SECONDS = 15;

/** What container runtimes give root beyond a job in Docker; by name, as Pod Security `restricted` wants nothing added to "ALL". */
const DROPPED = ['AUDIT_WRITE', 'MKNOD', 'NET_BIND_SERVICE', 'NET_RAW', 'SETPCAP', 'SYS_CHROOT'];

/** What the platform team says of every job's pod. */
export interface PodSettings {
  readonly serviceAccount?: string;
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  /** CPUs, as a Kubernetes quantity. */
  readonly cpus?: string;
  /** Memory, as a Kubernetes quantity. */
  readonly memory?: string;
  /** Milliseconds from an interrupt to the kill. */
  readonly graceMs: number;
  /** Milliseconds from a pod's creation until it must run. */
  readonly startTimeoutMs: number;
  /** Seconds without a heartbeat of the agent after which the pod ends itself; LEASE_SECONDS when absent. */
  readonly leaseSeconds?: number;
  /** Seconds that what runs then gets after its interrupt; ORPHAN_GRACE_SECONDS when absent. */
  readonly orphanGraceSeconds?: number;
  /** Pods stay when their jobs are over, for a user to look into them. */
  readonly keepPods?: boolean;
}

/** The pod of one job: nothing in it is secret. The platform becomes a node selector, as the kubelets label their nodes. */
export function podFor(
  spec: Pick<ContainerSpec, 'image' | 'platform' | 'labels'>,
  { name, pullSecret, settings }: { name: string; pullSecret?: string; settings: PodSettings },
): V1Pod {
  const { serviceAccount, imagePullPolicy = 'IfNotPresent', cpus, memory, keepPods = false } = settings;
  const { leaseSeconds = LEASE_SECONDS, orphanGraceSeconds = ORPHAN_GRACE_SECONDS } = settings;
  const [os, architecture] = spec.platform?.split('/') ?? [];
  const graceSeconds = Math.ceil(settings.graceMs / 1000);
  const limits = defined({ cpu: cpus, memory });
  const labels = defined({
    ...spec.labels,
    [START_SECONDS]: String(Math.ceil(settings.startTimeoutMs / 1000)),
    [KEPT]: keepPods ? 'true' : undefined,
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...ownership(labels) },
    spec: {
      restartPolicy: 'Never',
      // The kubelet's variables for every service of the namespace are nothing that a deployment should see.
      enableServiceLinks: false,
      terminationGracePeriodSeconds: graceSeconds + KILL_SECONDS,
      ...defined({
        serviceAccountName: serviceAccount,
        // Whether an account that is named has its token is the account's own word.
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
          args: [leaseSeconds, orphanGraceSeconds, graceSeconds, keepPods ? KEEP_SECONDS : 0].map(String),
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
