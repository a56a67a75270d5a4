import type { V1Container, V1Pod } from '@kubernetes/client-node';
import { JOB_CONTAINER } from './pod.ts';
import type { TemplateFile, TemplatePath } from './template-file.ts';
import { elementPath } from './template-path.ts';

/** Where Kubernetes reads a container's last words, unless told otherwise: the pod's main script leaves there why it ended. */
const TERMINATION_LOG = '/dev/termination-log';

/** A field that must be as it was: where it is in the template, what it is called, and what it was and is. */
type Kept = readonly [path: TemplatePath, name: string, before: unknown, after: unknown];

/** Throws PodTemplateError, at the template's own line, where a merged pod lacks what the agent needs of it. */
export function checkNeeds(file: TemplateFile, before: V1Pod, after: V1Pod): void {
  const own = elementPath(file.patch, ['spec', 'containers'], 'name', JOB_CONTAINER);
  const was = before.spec?.containers[0];
  const container = after.spec?.containers.find(({ name }) => name === JOB_CONTAINER);
  if (was === undefined || container === undefined)
    throw file.problemAt(own, `takes away the container ${JOB_CONTAINER}, which runs the job`);
  const ofContainer = (field: keyof V1Container): Kept => [
    [...own, field],
    `the ${field} of container ${JOB_CONTAINER}`,
    was[field],
    container[field],
  ];
  const kept: readonly Kept[] = [
    [['spec', 'restartPolicy'], 'spec.restartPolicy', 'Never', after.spec?.restartPolicy],
    ofContainer('command'),
    ofContainer('args'),
    ofContainer('workingDir'),
    ofContainer('restartPolicy'),
    [
      [...own, 'terminationMessagePath'],
      `the terminationMessagePath of container ${JOB_CONTAINER}`,
      TERMINATION_LOG,
      container.terminationMessagePath,
    ],
  ];
  for (const [path, name, old, now] of kept) {
    if (JSON.stringify(old) !== JSON.stringify(now))
      throw file.problemAt(path, `changes ${name}, by which the agent runs steps and ends the pod; leave it out`);
  }
  checkTermination(file, { before, after, container, own });
  for (const mount of was.volumeMounts ?? []) {
    const same = container.volumeMounts?.find(({ mountPath }) => mountPath === mount.mountPath);
    if (same?.name !== mount.name || same.readOnly === true || same.subPath !== undefined)
      throw file.problemAt(
        elementPath(file.patch, [...own, 'volumeMounts'], 'mountPath', mount.mountPath),
        `changes what is mounted at ${mount.mountPath}, where the agent keeps the job's files`,
      );
  }
  for (const volume of before.spec?.volumes ?? []) {
    if (after.spec?.volumes?.find(({ name }) => name === volume.name)?.emptyDir === undefined)
      throw file.problemAt(
        elementPath(file.patch, ['spec', 'volumes'], 'name', volume.name),
        `changes the volume ${volume.name}, where the agent keeps the job's files`,
      );
  }
  checkMarks(file, before, after);
}

/** The pod ends when its job does, and a step that is interrupted has its time: nothing else may end it. */
function checkTermination(
  file: TemplateFile,
  {
    before,
    after,
    container,
    own,
  }: {
    readonly before: V1Pod;
    readonly after: V1Pod;
    readonly container: V1Container;
    readonly own: TemplatePath;
  },
): void {
  const needed = before.spec?.terminationGracePeriodSeconds ?? 0;
  // What is null in a template has become Kubernetes' default by the merge.
  const grace = after.spec?.terminationGracePeriodSeconds ?? 0;
  if (grace < needed)
    throw file.problemAt(
      ['spec', 'terminationGracePeriodSeconds'],
      `changes spec.terminationGracePeriodSeconds to ${grace}, but when its pod is deleted a step needs ${needed} to end in order (cancel_grace_period, and some seconds for the pod); leave it out`,
    );
  const limits: readonly (readonly [path: TemplatePath, name: string, value: unknown])[] = [
    [['spec', 'activeDeadlineSeconds'], 'spec.activeDeadlineSeconds', after.spec?.activeDeadlineSeconds],
    ...(['livenessProbe', 'startupProbe'] as const).map(
      (field) => [[...own, field], `the ${field} of container ${JOB_CONTAINER}`, container[field]] as const,
    ),
    // Its time is taken off the step's, which is interrupted only when it is over.
    [[...own, 'lifecycle', 'preStop'], `the preStop hook of container ${JOB_CONTAINER}`, container.lifecycle?.preStop],
    [
      [...own, 'lifecycle', 'stopSignal'],
      `the stopSignal of container ${JOB_CONTAINER}`,
      container.lifecycle?.stopSignal,
    ],
  ];
  for (const [path, name, value] of limits) {
    if (value !== undefined)
      throw file.problemAt(
        path,
        `sets ${name}, by which a step would be killed before it has ended in order; leave it out`,
      );
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
        throw file.problemAt(
          ['metadata', kind, key],
          `changes the ${word} ${key}, by which the agent finds what is its own`,
        );
    }
  }
}
