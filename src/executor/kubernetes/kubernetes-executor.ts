import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { V1Pod } from '@kubernetes/client-node';
import type { Mapping } from '../../base/config/key-definition.ts';
import { DEFAULT_IMAGE } from '../../base/config/keys/run.ts';
import type { Environment } from '../../base/environment.ts';
import { homeOf } from '../../base/environment.ts';
import { fixedProxy, proxyFor } from '../../base/network/proxy.ts';
import { contextOf, trustedCertificates } from '../../base/network/trust.ts';
import { tunnelAgent } from '../../base/network/tunnel.ts';
import {
  type Executor,
  type ExecutorFactory,
  type ExecutorSources,
  ExecutorUnavailableError,
  type Logger,
} from '../executor.ts';
import { permissionsIn, probeCluster, tryExec, tryPod } from './check.ts';
import { Cluster, type ClusterSettings, type FindProxy } from './cluster.ts';
import { during } from './errors.ts';
import { type PodSettings, podFor } from './pod/pod.ts';
import { preparePod } from './pod/prepare.ts';
import { sweepAbandoned, sweepObjects } from './removal.ts';
import { loadTemplate, mergeOver, type TemplateFile } from './template.ts';

/** For a proxy to connect. */
const CONNECT_MS = 10_000;

export interface KubernetesExecutorOptions extends ClusterSettings, PodSettings {
  readonly logger?: Logger | undefined;
  /** The labels of a trial pod; a job's come with its specification. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** For removing a pod; 60,000 if absent. */
  readonly stopTimeoutMs?: number | undefined;
  /** The image of every job, if one is set; `check` tries it before any claim. */
  readonly image?: string | undefined;
  /** A strategic merge patch for each job's pod: YAML, a YAML file's path, or text already read. */
  readonly podTemplate?: string | Mapping | undefined;
}

/**
 * Runs jobs as pods of an existing cluster, one pod per job. Opens nothing before the first call.
 */
export function createKubernetesExecutor(options: KubernetesExecutorOptions): Executor {
  const { logger = () => undefined, stopTimeoutMs: stopMs = 60_000, podTemplate } = options;
  const { kubeconfig, kubeContext, namespace, findProxy } = options;
  const cluster = new Cluster({ kubeconfig, kubeContext, namespace, findProxy });
  const settings: PodSettings = {
    cancelGracePeriodMs: options.cancelGracePeriodMs,
    podStartTimeoutMs: options.podStartTimeoutMs,
    serviceAccount: options.serviceAccount,
    containerRuntime: options.containerRuntime,
    imagePullPolicy: options.imagePullPolicy,
    debugPod: options.debugPod,
    numCpus: options.numCpus,
    memoryBytes: options.memoryBytes,
    leaseSeconds: options.leaseSeconds,
    orphanGraceSeconds: options.orphanGraceSeconds,
    agentToken: options.agentToken,
  };
  let template: Promise<TemplateFile> | undefined;

  const merge = async (pod: V1Pod, signal: AbortSignal): Promise<V1Pod> => {
    if (podTemplate === undefined) return pod;
    template ??= loadTemplate(podTemplate);
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

      await tryPod(cluster, await merge(podFor({ image, labels }, { name, settings }), signal), signal);

      await tryExec(cluster, name, signal);

      return `Kubernetes ${gitVersion} at ${await cluster.way()}, namespace ${await cluster.namespace()}`;
    },
    probe: (signal) => probeCluster(cluster, signal),
    permissions: () => permissionsIn(cluster, podTemplate !== undefined),
    prepare: (spec, progress, signal) =>
      preparePod(cluster, { spec, settings, template: merge, progress, signal, stopMs, logger }),
    sweep: (labels, signal, sweepOptions = {}) =>
      during('remove the remains', sweepObjects(cluster, labels, sweepOptions, stopMs, signal)),
    sweepAbandoned: (signal) =>
      during('remove the remains of dead agents', sweepAbandoned(cluster, { ms: stopMs, signal })),
    close: async () => cluster.close(),
  };
}

export const kubernetesExecutors: ExecutorFactory<'kubernetes'> = {
  create(config, { environment, labels, logger, onSecret }) {
    const findProxy = clusterProxy(environment, onSecret, config.caCertificate);
    return createKubernetesExecutor({
      logger,
      labels,
      kubeconfig: config.kubeconfig,
      kubeContext: config.kubeContext,
      namespace: config.namespace,
      findProxy,
      image: config.image,
      podTemplate: config.podTemplate,
      cancelGracePeriodMs: config.cancelGracePeriodMs,
      podStartTimeoutMs: config.podStartTimeoutMs,
      serviceAccount: config.serviceAccount,
      containerRuntime: config.containerRuntime,
      imagePullPolicy: config.imagePullPolicy,
      debugPod: config.debugPod,
      numCpus: config.numCpus,
      memoryBytes: config.memoryBytes,
    });
  },

  async place(config, environment) {
    // Throws if the working directory or the home directory is gone.
    const kubeconfig = config.kubeconfig ?? defaultKubeconfig(environment);
    const { kubeContext, namespace } = config;
    const cluster = new Cluster({ kubeconfig, kubeContext, namespace });

    return {
      target: 'kubernetes',
      kubeconfig,
      context: (await cluster.config()).getCurrentContext(),
      server: bare(await cluster.server()),
      namespace: await cluster.namespace(),
    };
  },

  async at(place, sources) {
    const { kubeconfig, context, namespace } = place;
    const settings: ClusterSettings = { kubeconfig, kubeContext: context, namespace };
    const server = bare(await new Cluster(settings).server());

    // In another cluster, an empty namespace would look as if nothing had been left.
    if (server !== place.server) {
      throw new ExecutorUnavailableError(
        `Failed to find the cluster for jobs in ${kubeconfig ?? 'the kubeconfig'}: its context "${context}" now leads to ${server}, but the run's pods are at ${place.server}. Look there: kubectl get pods -n ${namespace} -l app.kubernetes.io/managed-by=pulumi-runner-agent.`,
        { code: 'PRA-K8S-01' },
      );
    }

    // Used for sweeps only, so nothing is started.
    return createKubernetesExecutor({
      ...settings,
      findProxy: clusterProxy(sources.environment, sources.onSecret),
      podStartTimeoutMs: 0,
      cancelGracePeriodMs: 0,
    });
  },
};

/** The default kubeconfig's path; undefined if there is no file, or several. */
function defaultKubeconfig(environment: Environment): string | undefined {
  const [path, ...others] = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((each) => each !== '');
  if (path !== undefined) return others.length > 0 ? undefined : resolve(path);
  const homePath = join(homeOf(environment), '.kube', 'config');
  return existsSync(homePath) ? homePath : undefined;
}

/** An address without its user and password. */
function bare(server: string): string {
  const url = URL.parse(server);
  if (url === null) return '';
  url.username = '';
  url.password = '';
  return url.href;
}

/**
 * Finds the proxy as kubectl does: the kubeconfig's, else the environment's by the rules of Go's
 * net/http. SOCKS is left to the Kubernetes client. `caCertificate` is the setting of that name.
 * Throws OutcomeError `config-error`.
 */
export function clusterProxy(
  environment: Environment,
  onSecret?: ExecutorSources['onSecret'],
  caCertificate?: string,
): FindProxy {
  return async (service, proxyUrl) => {
    if (proxyUrl !== undefined && /^socks/i.test(proxyUrl)) return undefined;

    const proxy =
      proxyUrl === undefined
        ? proxyFor(service, environment).proxy
        : fixedProxy("the kubeconfig's proxy-url", proxyUrl);

    if (proxy === undefined) return undefined;

    for (const secret of proxy.secrets) onSecret?.(secret);

    const { address, variable } = proxy;

    // An https proxy is trusted by the same rules as one to Pulumi Cloud.
    const trust = address.startsWith('https:') ? contextOf(trustedCertificates(caCertificate)) : undefined;

    return { address, variable, agent: tunnelAgent(proxy, service, CONNECT_MS, trust) };
  };
}
