import type { V1Pod } from '@kubernetes/client-node';
import type { Target } from '../target.ts';
import { Cluster, type ClusterSettings } from './cluster.ts';
import { targetError } from './errors.ts';
import type { PodSettings } from './pod.ts';
import { preparePod } from './prepare.ts';
import { sweepObjects } from './removal.ts';
import type { PodContext } from './step.ts';

export interface KubernetesTargetOptions extends ClusterSettings, PodSettings {
  /** Milliseconds from a pod's creation until it must run. */
  readonly startTimeoutMs: number;
  /** Milliseconds that a pod's removal may take; 60 s when absent. */
  readonly stopTimeoutMs?: number;
  /** Pods stay when their job is over. */
  readonly keepPods?: boolean;
  readonly logger?: PodContext['logger'];
}

/** Runs jobs as pods of an existing cluster, one pod per job. Nothing is opened or loaded before the first call. */
export function createKubernetesTarget(options: KubernetesTargetOptions): Target {
  const { logger = () => undefined, stopTimeoutMs: stopMs = 60_000, startTimeoutMs, keepPods: keep = false } = options;
  const cluster = new Cluster(options);
  const template = async (pod: V1Pod) => pod;
  return {
    name: 'kubernetes',
    check: async (signal) => {
      try {
        const { gitVersion } = await cluster.call<{ gitVersion: string }>({
          subject: { verb: 'get', resource: 'version', namespace: '' },
          method: 'GET',
          path: '/version',
          signal,
        });
        return `Kubernetes ${gitVersion} at ${await cluster.server()}, namespace ${await cluster.namespace()}`;
      } catch (error) {
        throw targetError(error, 'ask the cluster for its version');
      }
    },
    warmUp: async () => void (await import('@kubernetes/client-node/dist/web-socket-handler.js')),
    prepare: (spec, progress, signal) =>
      preparePod(cluster, {
        spec,
        settings: options,
        template,
        progress,
        signal,
        startTimeoutMs,
        stopMs,
        keep,
        logger,
      }),
    sweep: async (labels, signal, sweep) => {
      try {
        return await sweepObjects(cluster, labels, { ...sweep, ms: stopMs, signal });
      } catch (error) {
        throw targetError(error, 'remove what is left');
      }
    },
    close: async () => cluster.close(),
  };
}
