import type { V1Container, V1Pod } from '@kubernetes/client-node';
import { JOB_CONTAINER } from './pod.ts';
import type { TemplateFile } from './template-file.ts';

/** Where Kubernetes reads a container's last words, unless told otherwise: the pod's main script leaves there why it ended. */
const TERMINATION_LOG = '/dev/termination-log';

/** A field of a pod, what it is called, and its value. */
type Field = readonly [name: string, value: unknown];

/** Throws PodTemplateError where a merged pod lacks what the agent needs of it. */
export function checkNeeds(file: TemplateFile, before: V1Pod, after: V1Pod): void {
  const was = before.spec?.containers[0];
  const container = after.spec?.containers.find(({ name }) => name === JOB_CONTAINER);
  if (was === undefined || container === undefined)
    throw file.problem(`takes away the container ${JOB_CONTAINER}, which runs the job`);
  const kept: readonly (readonly [...Field, before: unknown])[] = [
    ['spec.restartPolicy', after.spec?.restartPolicy, 'Never'],
    ...(['command', 'args', 'workingDir', 'restartPolicy'] as const).map(
      (field) => [`the ${field} of container ${JOB_CONTAINER}`, container[field], was[field]] as const,
    ),
    [`the terminationMessagePath of container ${JOB_CONTAINER}`, container.terminationMessagePath, TERMINATION_LOG],
  ];
  for (const [name, now, old] of kept) {
    if (JSON.stringify(old) !== JSON.stringify(now))
      throw file.problem(`changes ${name}, which the agent needs to run steps and to end the pod; leave it out`);
  }
  checkTermination(file, { before, after, container });
  for (const mount of was.volumeMounts ?? []) {
    const same = container.volumeMounts?.find(({ mountPath }) => mountPath === mount.mountPath);
    if (same?.name !== mount.name || same.readOnly === true || same.subPath !== undefined)
      throw file.problem(`changes what is mounted at ${mount.mountPath}, where the agent keeps the job's files`);
  }
  for (const volume of before.spec?.volumes ?? []) {
    if (after.spec?.volumes?.find(({ name }) => name === volume.name)?.emptyDir === undefined)
      throw file.problem(`changes the volume ${volume.name}, where the agent keeps the job's files`);
  }
  checkMarks(file, before, after);
}

/** The pod ends when its job does, and a step that is interrupted has its time: nothing else may end it. */
function checkTermination(
  file: TemplateFile,
  { before, after, container }: { readonly before: V1Pod; readonly after: V1Pod; readonly container: V1Container },
): void {
  const needed = before.spec?.terminationGracePeriodSeconds ?? 0;
  // What is null in a template has become Kubernetes' default by the merge.
  const grace = after.spec?.terminationGracePeriodSeconds ?? 0;
  if (grace < needed)
    throw file.problem(
      `changes spec.terminationGracePeriodSeconds to ${grace}, but when its pod is deleted a step needs ${needed} to end in order (cancel_grace_period, and some seconds for the pod); leave it out`,
    );
  const limits: readonly Field[] = [
    ['spec.activeDeadlineSeconds', after.spec?.activeDeadlineSeconds],
    [`the livenessProbe of container ${JOB_CONTAINER}`, container.livenessProbe],
    [`the startupProbe of container ${JOB_CONTAINER}`, container.startupProbe],
    // Its time is taken off the step's, which is interrupted only when it is over.
    [`the preStop hook of container ${JOB_CONTAINER}`, container.lifecycle?.preStop],
    [`the stopSignal of container ${JOB_CONTAINER}`, container.lifecycle?.stopSignal],
  ];
  for (const [name, value] of limits) {
    if (value !== undefined)
      throw file.problem(`sets ${name}, which would kill a step before it has ended gracefully; leave it out`);
  }
}

/** Labels and annotations of the agent's are as they were. */
function checkMarks(file: TemplateFile, before: V1Pod, after: V1Pod): void {
  for (const [kind, word] of [
    ['labels', 'label'],
    ['annotations', 'annotation'],
  ] as const) {
    for (const [key, value] of Object.entries(before.metadata?.[kind] ?? {})) {
      if (after.metadata?.[kind]?.[key] !== value)
        throw file.problem(`changes the ${word} ${key}, which the agent needs to find what is its own`);
    }
  }
}
