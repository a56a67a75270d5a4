import type { AgentConfig } from '../config/agent-config.ts';
import { createDockerExecutor } from '../executor/docker/docker-executor.ts';
import type { Executor } from '../executor/executor.ts';
import { clusterProxy } from './cluster-proxy.ts';
import { containmentOf } from './containment.ts';
import type { Log } from './logging/agent-log.ts';

export interface ExecutorSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger?: Log;
  /** What every object that is made carries besides what its claim says. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Told every secret that the target learns of by itself. */
  readonly onSecret?: (secret: string) => void;
}

/** The other place for jobs, imported when it is the one: the Kubernetes client takes 9 MB of an agent's memory. */
export function kubernetes() {
  return import('../executor/kubernetes/kubernetes-executor.ts');
}

/** The place where the configuration has jobs run. */
export async function executorFor(
  config: AgentConfig,
  { environment, labels, logger, onSecret }: ExecutorSources,
): Promise<Executor> {
  if (config.deployTarget !== 'kubernetes') {
    return createDockerExecutor({
      environment,
      containment: containmentOf(config),
      ...(logger === undefined ? {} : { logger }),
      ...(onSecret === undefined ? {} : { onSecret }),
    });
  }
  const { createKubernetesExecutor } = await kubernetes();
  const { kubeconfig, kubeContext, namespace, image, podTemplate, serviceAccount, memoryBytes, numCpus } = config;
  return createKubernetesExecutor({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(kubeContext === undefined ? {} : { context: kubeContext }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(image === undefined ? {} : { image }),
    ...(podTemplate === undefined ? {} : { template: podTemplate }),
    ...(serviceAccount === undefined ? {} : { serviceAccount }),
    ...(memoryBytes === undefined ? {} : { memory: String(memoryBytes) }),
    ...(numCpus === undefined ? {} : { cpus: String(numCpus) }),
    ...(labels === undefined ? {} : { labels }),
    ...(logger === undefined ? {} : { logger }),
    findProxy: clusterProxy({
      environment,
      ...(config.caCertificate === undefined ? {} : { caCertificate: config.caCertificate }),
      ...(onSecret === undefined ? {} : { onSecret }),
    }),
    imagePullPolicy: config.imagePullPolicy,
    startTimeoutMs: config.podStartTimeoutMs,
    graceMs: config.cancelGracePeriodMs,
    keepPods: config.debugPod,
  });
}
