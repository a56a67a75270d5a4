import type { AgentConfig } from '../../config/agent-config.ts';
import type { Executor, Permission } from '../../executor/executor.ts';
import type { DoctorChecks } from '../../executor/kind.ts';
import { containerSettings, EXECUTORS, executorAt, executorFor } from '../../executor/registry.ts';
import { DEFAULT_IMAGE } from '../../job/job.ts';
import { OutcomeError } from '../../outcome.ts';
import type { CheckSources } from './config-check.ts';
import { containerCheck } from './container-check.ts';
import { type Examination, type Finding, reasonOf } from './examination.ts';
import { freeSpace } from './local-checks.ts';

/** Bytes that an engine should have left for images and containers; below it, a warning. */
const ROOM = 2 * 1024 ** 3;

interface ExecutorCheckSources extends CheckSources {
  readonly labels: Readonly<Record<string, string>>;
  /** The image to pull. */
  readonly pull?: string | undefined;
}

/** Where jobs run: the executor with its disk and its permissions, and a container that is made, used and removed. */
export async function executorChecks(examination: Examination, sources: ExecutorCheckSources): Promise<void> {
  const { config, environment, redactor, pull } = sources;
  const known = config.missing === undefined ? config.value : undefined;
  const { doctor } = EXECUTORS[known?.deployTarget ?? 'docker'];
  const executorSources = { environment, onSecret: (secret: string) => redactor.add([secret]) };
  const isNamed = pull !== undefined || known?.image !== undefined;
  // Docker is what there is without a configuration.
  const executor =
    known === undefined
      ? await executorAt({ target: 'docker' }, executorSources)
      : await executorFor(doctor.trialOf(known, isNamed), executorSources);
  try {
    await checkExecutor(examination, sources, executor, doctor);
  } finally {
    await examination.settled(doctor.checkMs);
    await executor.close();
  }
}

async function checkExecutor(
  examination: Examination,
  { config, labels, pull }: ExecutorCheckSources,
  executor: Executor,
  doctor: DoctorChecks,
): Promise<void> {
  const { title, checkMs, container } = doctor;
  const spec = { outcome: 'target-error', deadlineMs: checkMs } as const;
  const usable = await examination.check({ ...spec, id: title.toLowerCase(), title }, [], async (signal) => {
    return { status: 'passed', detail: await executor.check(signal) };
  });
  if (executor.dataDirectory !== undefined)
    await examination.check({ ...spec, id: 'engine-disk', title: 'Engine disk' }, [usable], (signal) =>
      engineDisk(executor, signal),
    );
  for (const permission of executor.permissions?.() ?? []) {
    const { resource } = permission;
    const id = `permission-${resource.replace('/', '-')}`;
    await examination.check({ ...spec, id, title: `May use ${resource}` }, [], (signal) =>
      permitted(permission, signal),
    );
  }
  const image = (known: AgentConfig) => pull ?? known.image;
  const deadlineMs = config.missing === undefined ? doctor.containerMs(config.value, pull !== undefined) : 0;
  await examination.check(
    { ...spec, id: 'container', title: container, deadlineMs },
    [usable, config],
    (signal, _, known) =>
      containerCheck(executor, {
        ...containerSettings(known),
        image: image(known) ?? DEFAULT_IMAGE,
        pull: pull !== undefined || (known.image !== undefined && known.pullImage),
        isNamed: image(known) !== undefined,
        labels,
        signal,
      }),
  );
}

async function engineDisk(executor: Executor, signal: AbortSignal): Promise<Finding> {
  const directory = await executor.dataDirectory?.(signal);
  const unknown = { status: 'unknown', detail: "the engine's disk can't be seen from here" } as const;
  if (directory === undefined) return unknown;
  return freeSpace(directory, directory, { wanted: ROOM, use: 'images and containers go there' }).catch(() => unknown);
}

/** What the account may do with one kind of object where jobs run. Throws OutcomeError `target-error` when jobs need more. */
async function permitted(permission: Permission, signal: AbortSignal): Promise<Finding> {
  const { resource, needed, useful, purpose } = permission;
  let review: Awaited<ReturnType<Permission['review']>>;
  try {
    review = await permission.review(signal);
  } catch (cause) {
    signal.throwIfAborted();
    // Why it can't be asked is what the executor's own check says.
    return { status: 'unknown', detail: `could not ask: ${reasonOf(cause)}.` };
  }
  const { refused, remedy } = review;
  if (refused.length === 0) return { status: 'passed', detail: [...needed, ...useful].join(', ') };
  const may = `this account may not ${refused.join(', ')}`;
  if (refused.some((verb) => needed.includes(verb))) {
    const message = `Failed to get access to ${resource} for jobs: ${may}. ${remedy}.`;
    throw new OutcomeError('target-error', message, { code: 'PRA-K8S-04' });
  }
  return { status: 'warning', detail: `${may}: without it, ${purpose}. ${remedy}.` };
}
