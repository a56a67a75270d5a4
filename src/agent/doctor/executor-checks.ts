import { statfs } from 'node:fs/promises';
import type { AgentConfig } from '../../config/agent-config.ts';
import { createDockerExecutor } from '../../executor/docker/docker-executor.ts';
import type { Executor } from '../../executor/executor.ts';
import { containerSettings, type ExecutorSources, executorFor } from '../../executor/registry.ts';
import { DEFAULT_IMAGE } from '../../job/job.ts';
import { byteCount } from '../../quantity.ts';
import { containerCheck } from './container-check.ts';
import type { Checked, Examination, Finding } from './examination.ts';
import { permissionCheck } from './permission-check.ts';

/** Milliseconds for a container on an engine, and on a cluster beyond the time that the pod has to start. */
const START_MS = 120_000;
const USE_MS = 60_000;
const ENGINE_MS = 15_000;
/** A template is merged there, and the kubeconfig's program for credentials may take its time. */
const CLUSTER_MS = 30_000;
/** A pull that makes progress is let go on; one that stalls is ended by the target. */
const PULL_MS = 30 * 60_000;
/** Bytes that an engine should have left for images and containers; below it, a warning. */
const ROOM = 2 * 1024 ** 3;

interface Trial {
  readonly target: Executor;
  /** Milliseconds that a container may take from start to removal. */
  readonly startMs: number;
}

/** The place where a run would have its jobs, to be tried with one container; Docker while there is no configuration. */
export async function trialExecutor(
  config: AgentConfig | undefined,
  { pull, ...sources }: ExecutorSources & { readonly pull?: string },
): Promise<Trial> {
  if (config === undefined) return { target: createDockerExecutor(sources), startMs: START_MS };
  if (config.deployTarget !== 'kubernetes') return { target: await executorFor(config, sources), startMs: START_MS };
  const isNamed = pull !== undefined || config.image !== undefined;
  // Nothing stays of doctor, and no node pulls an image that nobody named.
  const tried: AgentConfig = { ...config, debugPod: false, ...(isNamed ? {} : { imagePullPolicy: 'Never' }) };
  return { target: await executorFor(tried, sources), startMs: config.podStartTimeoutMs + USE_MS };
}

interface ExecutorCheckSources extends Trial {
  readonly config: Checked<AgentConfig>;
  readonly labels: Readonly<Record<string, string>>;
  /** The image to pull. */
  readonly pull?: string;
}

/** Where jobs run: the engine with its disk, or the cluster with its permissions; and a container made, used and removed. */
export function executorChecks(
  examination: Examination,
  { config, target, startMs, labels, pull }: ExecutorCheckSources,
): void {
  const permissions = target.permissions?.();
  const isCluster = permissions !== undefined;
  const spec = { outcome: 'target-error', deadlineMs: isCluster ? CLUSTER_MS : ENGINE_MS } as const;
  const title = isCluster ? 'Kubernetes' : 'Docker';
  const engine = examination.check({ ...spec, id: title.toLowerCase(), title }, [], async (signal) => {
    return { status: 'passed', detail: await target.check(signal) };
  });
  if (!isCluster)
    examination.check({ ...spec, id: 'engine-disk', title: 'Engine disk' }, [engine], (signal) => room(target, signal));
  for (const permission of permissions ?? []) {
    const { resource } = permission;
    const id = `permission-${resource.replace('/', '-')}`;
    examination.check({ ...spec, id, title: `May use ${resource}` }, [], (signal) =>
      permissionCheck(permission, signal),
    );
  }
  const deadlineMs = pull === undefined || isCluster ? startMs : PULL_MS;
  examination.check(
    { ...spec, id: 'container', title: isCluster ? 'Pod' : 'Container', deadlineMs },
    [engine, config],
    (signal, _, settings) =>
      containerCheck(target, {
        ...containerSettings(settings),
        image: pull ?? settings.image ?? DEFAULT_IMAGE,
        pull: !isCluster && (pull !== undefined || (settings.image !== undefined && settings.pullImage)),
        isNamed: pull !== undefined || settings.image !== undefined,
        labels,
        signal,
      }),
  );
}

async function room(target: Executor, signal: AbortSignal): Promise<Finding> {
  const directory = await target.dataDirectory?.(signal);
  const space = directory === undefined ? undefined : await statfs(directory).catch(() => undefined);
  if (space === undefined) return { status: 'unknown', detail: "the engine's disk can't be seen from here" };
  const free = space.bavail * space.bsize;
  const detail = `${directory}, ${byteCount(free)} free`;
  if (free >= ROOM) return { status: 'passed', detail };
  return { status: 'warning', detail: `${detail}. Free some: images and containers go there.` };
}
