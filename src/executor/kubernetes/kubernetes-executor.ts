import { randomBytes } from 'node:crypto';
import type { V1Pod } from '@kubernetes/client-node';
import type { Mapping } from '../../base/config/key-definition.ts';
import { DEFAULT_IMAGE } from '../../base/config/keys/run.ts';
import type { Executor, Logger } from '../executor.ts';
import { permissionsIn, probeCluster, tryExec, tryPod } from './check.ts';
import { Cluster, type ClusterSettings } from './cluster.ts';
import { during } from './errors.ts';
import { type PodSettings, podFor } from './pod/pod.ts';
import { preparePod } from './pod/prepare.ts';
import { sweepAbandoned, sweepObjects } from './removal.ts';
import { loadTemplate, mergeOver, type TemplateFile } from './template.ts';

export interface KubernetesExecutorOptions extends ClusterSettings, PodSettings {
  readonly logger?: Logger;
  /** Added to every object that is created. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Milliseconds for removing a pod; 60,000 if absent. */
  readonly stopTimeoutMs?: number;
  /** The image of every job, if one is set; `check` tries it before any claim. */
  readonly image?: string | undefined;

  /** A strategic merge patch for each job's pod: YAML, a YAML file's path, or text already read. */
  readonly podTemplate?: string | Mapping | undefined;
}

/**
 * Runs jobs as pods of an existing cluster, one pod per job. Opens nothing before the first call.
 */
export function createKubernetesExecutor(options: KubernetesExecutorOptions): Executor {
  const { logger = () => undefined, stopTimeoutMs: stopMs = 60_000 } = options;
  const cluster = new Cluster(options);
  let template: Promise<TemplateFile> | undefined;

  const merge = async (pod: V1Pod, signal: AbortSignal): Promise<V1Pod> => {
    if (options.podTemplate === undefined) return pod;
    template ??= loadTemplate(options.podTemplate);
    return mergeOver(pod, await template, cluster, signal);
  };

  return {
    name: 'kubernetes',
    check: async (signal) => {
      const { gitVersion } = await during(
        'ask the cluster for its version',
        cluster.call<{ gitVersion: string }>({ verb: 'get', resource: 'version', path: '/version', signal }),
      );

      const name = `pulumi-workflow-check-${randomBytes(6).toString('hex')}`;
      const { image = DEFAULT_IMAGE, labels = {} } = options;

      await tryPod(
        cluster,
        await merge(podFor({ image, labels }, { name, settings: options }), signal),
        signal,
      );

      await tryExec(cluster, name, signal);

      return `Kubernetes ${gitVersion} at ${await cluster.way()}, namespace ${await cluster.namespace()}`;
    },
    probe: (signal) => probeCluster(cluster, signal),
    permissions: () => permissionsIn(cluster, options.podTemplate !== undefined),
    prepare: (spec, progress, signal) =>
      preparePod(cluster, { spec, settings: options, template: merge, progress, signal, stopMs, logger }),
    sweep: (labels, signal, sweep) =>
      during('remove the remains', sweepObjects(cluster, labels, { ...sweep, ms: stopMs, signal })),
    sweepAbandoned: (signal) =>
      during('remove the remains of dead agents', sweepAbandoned(cluster, { ms: stopMs, signal })),
    close: async () => cluster.close(),
  };
}
