import { randomBytes } from 'node:crypto';
import type { V1Pod } from '@kubernetes/client-node';
import type { Executor } from '../executor.ts';
import { sweepAbandoned } from './abandoned.ts';
import { permissionsIn } from './access.ts';
import { Cluster, type ClusterSettings } from './cluster.ts';
import { targetError } from './errors.ts';
import { tryExec } from './exec-trial.ts';
import { type PodSettings, podFor } from './pod.ts';
import { preparePod } from './prepare.ts';
import type { PodContext } from './step-context.ts';
import { sweepObjects } from './sweep.ts';
import { PodTemplate, templateSource } from './template.ts';
import type { TemplateSource } from './template-file.ts';

export { Cluster };

/** Stands for any job's image where no pod is made and none is set. */
const TRIED_IMAGE = 'pulumi/pulumi:latest';

export interface KubernetesExecutorOptions extends ClusterSettings, PodSettings {
  /** Milliseconds that a pod's removal may take; 60 s when absent. */
  readonly stopTimeoutMs?: number;
  /** The image of every job, where one is set: what is tried before any claim. */
  readonly image?: string;
  /** A strategic merge patch over every job's pod: YAML, the path of such a file, or where it was read. */
  readonly template?: string | TemplateSource;
  /** What every job's pod carries besides what its claim says: none when absent. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly logger?: PodContext['logger'];
}

/** Runs jobs as pods of an existing cluster, one pod per job. Nothing is opened or loaded before the first call. */
export function createKubernetesExecutor(options: KubernetesExecutorOptions): Executor {
  const { logger = () => undefined, stopTimeoutMs: stopMs = 60_000 } = options;
  const cluster = new Cluster(options);
  let template: Promise<PodTemplate> | undefined;
  const merge = async (pod: V1Pod, signal: AbortSignal): Promise<V1Pod> => {
    if (options.template === undefined) return pod;
    template ??= loadTemplate(options.template);
    return (await template).mergeOver(pod, cluster, signal);
  };
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
        const name = `pulumi-workflow-check-${randomBytes(6).toString('hex')}`;
        await tryPod(cluster, name, options, merge, signal);
        await tryExec(cluster, name, signal);
        return `Kubernetes ${gitVersion} at ${await cluster.way()}, namespace ${await cluster.namespace()}`;
      } catch (error) {
        throw targetError(error, 'ask the cluster for its version');
      }
    },
    permissions: () => permissionsIn(cluster, options.template !== undefined),
    prepare: (spec, progress, signal) =>
      preparePod(cluster, {
        spec,
        settings: options,
        template: merge,
        progress,
        signal,
        stopMs,
        logger,
      }),
    sweep: async (labels, signal, sweep) => {
      try {
        return await sweepObjects(cluster, labels, { ...sweep, ms: stopMs, signal });
      } catch (error) {
        throw targetError(error, 'remove what is left');
      }
    },
    sweepAbandoned: async (signal) => {
      try {
        return await sweepAbandoned(cluster, { ms: stopMs, signal });
      } catch (error) {
        throw targetError(error, 'remove what dead agents left');
      }
    },
    close: async () => cluster.close(),
  };
}

async function loadTemplate(textOrPath: string | TemplateSource): Promise<PodTemplate> {
  return new PodTemplate(await templateSource(textOrPath));
}

/** A pod as jobs will have one, with nothing kept of it: what admission rules, quotas and permissions say comes before any claim. */
async function tryPod(
  cluster: Cluster,
  name: string,
  { image = TRIED_IMAGE, labels = {}, ...settings }: PodSettings & Pick<KubernetesExecutorOptions, 'image' | 'labels'>,
  merge: (pod: V1Pod, signal: AbortSignal) => Promise<V1Pod>,
  signal: AbortSignal,
): Promise<void> {
  const pod = await merge(podFor({ image, labels }, { name, settings }), signal);
  const namespace = await cluster.namespace();
  const subject = { verb: 'create', resource: 'pods', namespace } as const;
  const path = `/api/v1/namespaces/${namespace}/pods`;
  await cluster
    .call({ subject, method: 'POST', path, query: { dryRun: 'All' }, body: pod, signal })
    .catch((error: unknown) => {
      throw targetError(error, 'try a pod');
    });
}
