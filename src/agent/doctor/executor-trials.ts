import type { AgentConfig } from '../../config/agent-config.ts';

/** How the doctor tries an executor: what differs from one to the next. */
export interface ExecutorTrial {
  /** Also the check's id, in lower case. */
  readonly title: string;
  /** What a job's container is called there. */
  readonly container: string;
  /** Milliseconds that the executor may take to say whether jobs can run there. */
  readonly checkMs: number;
  /** Milliseconds that a container may take from its pull to its removal. */
  containerMs(config: AgentConfig, isPulled: boolean): number;
  /** The configuration for a container after which nothing stays, and for which nothing is pulled unless the image `isNamed`. */
  configured(config: AgentConfig, isNamed: boolean): AgentConfig;
}

/** Every executor's trial. */
export const EXECUTOR_TRIALS: Readonly<Record<AgentConfig['deployTarget'], ExecutorTrial>> = {
  docker: {
    title: 'Docker',
    container: 'Container',
    checkMs: 15_000,
    // A pull that makes progress goes on; the executor ends one that stalls.
    containerMs: (_, isPulled) => (isPulled ? 30 * 60_000 : 120_000),
    configured: (config) => config,
  },
  kubernetes: {
    title: 'Kubernetes',
    container: 'Pod',
    // A template is merged there, and the kubeconfig's program for credentials may take its time.
    checkMs: 30_000,
    containerMs: ({ podStartTimeoutMs }) => podStartTimeoutMs + 60_000,
    configured: (config, isNamed) => ({ ...config, debugPod: false, ...(!isNamed && { imagePullPolicy: 'Never' }) }),
  },
};
