import { readFile } from 'node:fs/promises';
import type { V1Pod, V1PodTemplate } from '@kubernetes/client-node';
import { isMap, parseDocument } from 'yaml';
import { NEVER } from '../../base/clock.ts';
import type { Mapping } from '../../base/config/key-definition.ts';
import { defined } from '../../base/defined.ts';
import { messageOf, OutcomeError, type OutcomeErrorOptions } from '../../base/outcome.ts';
import { settleAll } from '../clean-up.ts';
import { oneLine } from '../foreign-text.ts';
import type { Cluster } from './cluster.ts';
import { executorError, refusedWith } from './errors.ts';
import { createObject, deleteObject } from './objects.ts';
import { JOB_CONTAINER } from './pod/pod.ts';

/** An unusable pod template. It is found before any claim, so the outcome is `config-error`. */
export class PodTemplateError extends OutcomeError {
  override readonly name = 'PodTemplateError';

  constructor(message: string, options: OutcomeErrorOptions) {
    super('config-error', message, options);
  }
}

export class TemplateFile {
  /** The template's contents, without apiVersion and kind. */
  readonly patch: object;
  readonly #name: string;

  /** Throws PodTemplateError if the text is not a YAML mapping of a pod's fields. */
  constructor({ text, name }: Mapping) {
    this.#name = name;

    const { apiVersion: _, kind, metadata, spec, ...others } = this.#fieldsOf(text);
    if (kind !== undefined && kind !== 'Pod')
      throw this.problem(`is of kind ${oneLine(JSON.stringify(kind))}; it must be Pod`);
    if (typeof (metadata ?? {}) !== 'object' || Array.isArray(metadata))
      throw this.problem('has a metadata that is not a mapping');

    // Null fields are ignored: kubectl writes `creationTimestamp: null`.
    for (const [field, value] of Object.entries(metadata ?? {})) {
      if (value !== null && field !== 'labels' && field !== 'annotations')
        throw this.problem(
          `sets metadata.${field}, but a template may set only labels and annotations in a pod's metadata`,
        );
    }

    this.patch = defined({ ...others, metadata: metadata ?? undefined, spec: spec ?? undefined });
  }

  /** The error for this template; `clause` says why. */
  problem(clause: string): PodTemplateError {
    return new PodTemplateError(
      `Failed to use the pod template for jobs: ${this.#name} ${clause}. See docs/kubernetes/pod-template.md for the allowed fields of a template.`,
      { code: 'PRA-K8S-14' },
    );
  }

  #fieldsOf(text: string): Record<string, unknown> {
    const document = parseDocument(text, { merge: true });
    const [error] = document.errors;
    if (error?.code === 'MULTIPLE_DOCS') throw this.problem('has a second document; a template is one pod');

    // The message has line and column, followed by the line itself, which is cut off.
    if (error !== undefined)
      throw this.problem(`is not YAML: ${oneLine(error.message.replace(/:\n.*/s, ''))}`);
    if (!isMap(document.contents)) throw this.problem("is not a mapping with a pod's metadata and spec");

    try {
      return document.toJS() as Record<string, unknown>;
    } catch (cause) {
      throw this.problem(`can't be read: ${oneLine(messageOf(cause))}`);
    }
  }
}

/** Parses a template, given as YAML or as a file's path. Throws PodTemplateError. */
export async function loadTemplate(textOrPath: string | Mapping): Promise<TemplateFile> {
  if (typeof textOrPath !== 'string') return new TemplateFile(textOrPath);

  // A path contains neither line breaks nor a mapping's colon and space.
  if (/[\n{]|:\s/.test(textOrPath)) return new TemplateFile({ text: textOrPath, name: 'pod_template' });

  const text = await readFile(textOrPath, 'utf8').catch((cause: unknown) => {
    throw new PodTemplateError(
      `Failed to read the pod template for jobs: ${messageOf(cause)}. Set the path of a YAML file that the agent can read, or the YAML itself.`,
      { code: 'PRA-K8S-13', cause },
    );
  });

  return new TemplateFile({ text, name: textOrPath });
}

/** Keys for the owner of an object; both keys and values differ between claims. */
const OWN_KEY = /^pulumi-runner\.[^/]*$/;

/** Kubernetes' default termination message path, to which the pod's main script writes. */
const TERMINATION_LOG = '/dev/termination-log';

/**
 * The pod with the template merged over it by the API server, for its exact semantics. Throws
 * PodTemplateError.
 */
export async function mergeOver(
  pod: V1Pod,
  template: TemplateFile,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<V1Pod> {
  const { name = '', labels, annotations } = pod.metadata ?? {};
  const marks = defined({ labels, annotations });

  const base: V1PodTemplate = {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { name, ...marks },
    template: { metadata: marks, ...defined({ spec: pod.spec }) },
  };

  const merge = async () => {
    await createObject(cluster, { kind: 'podtemplates', body: base, signal });

    return cluster.call<V1PodTemplate>({
      verb: 'patch',
      resource: 'podtemplates',
      name,
      // Otherwise a misspelt field would be dropped silently.
      query: { fieldValidation: 'Strict' },
      contentType: 'application/strategic-merge-patch+json',
      body: { template: template.patch },
      signal,
      retry: signal,
    });
  };

  const merging = merge();

  // Removed even if merging failed: it can have been created without an answer. The first error
  // wins.
  const removing = merging
    .catch(() => undefined)
    .then(() => deleteObject(cluster, { kind: 'podtemplates', name, signal: NEVER, retry: NEVER }));

  await settleAll<unknown>([merging, removing]).catch((error: unknown) => {
    throw refusedBy(template, error) ?? executorError(error, 'merge the pod template');
  });

  const { metadata, spec } = (await merging).template ?? {};
  const result: V1Pod = {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...defined({ labels: metadata?.labels, annotations: metadata?.annotations }),
    },
    ...defined({ spec }),
  };

  const problem = problemOf(pod, result);
  if (problem !== undefined) throw template.problem(problem);

  return result;
}

/** The error for a merge that the API server refused; undefined if something else went wrong. */
function refusedBy(template: TemplateFile, error: unknown): PodTemplateError | undefined {
  if (!refusedWith(error, 400, 422, 500) || error.subject.verb !== 'patch') return undefined;

  // The API server answers 500 for a list that can't be merged, as it does for its own faults.
  if (error.status === 500 && !/\bpatch\b|merge key|types are not identical/.test(error.message))
    return undefined;

  // Some refusals print the whole list, including the agent's own scripts.
  const message = error.message
    .replace(/^"" is invalid: (?:patch: )?/, '')
    .replace(/(types are not identical): .*/s, '$1')
    .replace(/^map: map\[.*?(?:\] does not contain declared merge key: |…$)/s, 'an element lacks its key: ');

  return template.problem(`is refused by the cluster: ${message}`);
}

/** A clause on a change by the merge to a field that the agent depends on; undefined if there is none. */
function problemOf(before: V1Pod, after: V1Pod): string | undefined {
  const [was] = before.spec?.containers ?? [];
  const container = after.spec?.containers.find(({ name }) => name === JOB_CONTAINER);
  if (was === undefined || container === undefined)
    return `removes the container ${JOB_CONTAINER}, which runs the job`;

  const ofJob = `of container ${JOB_CONTAINER}`;
  const fixed: readonly (readonly [name: string, now: unknown, before: unknown])[] = [
    ['spec.restartPolicy', after.spec?.restartPolicy, 'Never'],
    ...(['command', 'args', 'workingDir', 'restartPolicy'] as const).map(
      (field) => [`the ${field} ${ofJob}`, container[field], was[field]] as const,
    ),
    [`the terminationMessagePath ${ofJob}`, container.terminationMessagePath, TERMINATION_LOG],
  ];

  const changed = fixed.find(([, now, old]) => JSON.stringify(old) !== JSON.stringify(now));
  if (changed !== undefined)
    return `changes ${changed[0]}, which the agent needs to run steps and to end the pod; remove it`;

  // Nothing but the job's end must end the pod, and an interrupted step gets its full grace period.
  const needed = before.spec?.terminationGracePeriodSeconds ?? 0;
  const grace = after.spec?.terminationGracePeriodSeconds ?? 0;
  if (grace < needed)
    return `changes spec.terminationGracePeriodSeconds to ${grace}, but when its pod is deleted a step needs ${needed} to end gracefully (cancel_grace_period, and some seconds for the pod); remove it`;

  const { livenessProbe, startupProbe, lifecycle } = container;
  const limits = {
    [`the livenessProbe ${ofJob}`]: livenessProbe,
    [`the startupProbe ${ofJob}`]: startupProbe,
    // The hook uses up the step's grace period, as the step is interrupted only after it.
    [`the preStop hook ${ofJob}`]: lifecycle?.preStop,
    [`the stopSignal ${ofJob}`]: lifecycle?.stopSignal,
  };

  const limit = Object.entries(limits).find(([, value]) => value !== undefined);
  if (limit !== undefined)
    return `sets ${limit[0]}, which would kill a step before it has ended gracefully; remove it`;

  for (const mount of was.volumeMounts ?? []) {
    const same = container.volumeMounts?.find(({ mountPath }) => mountPath === mount.mountPath);
    if (same?.name !== mount.name || same.readOnly === true || same.subPath !== undefined)
      return `changes the mount at ${mount.mountPath}, where the agent keeps the job's files`;
  }

  for (const { name } of before.spec?.volumes ?? []) {
    if (after.spec?.volumes?.find((volume) => volume.name === name)?.emptyDir === undefined)
      return `changes the volume ${name}, where the agent keeps the job's files`;
  }

  for (const kind of ['labels', 'annotations'] as const) {
    const [old = {}, now = {}] = [before.metadata?.[kind], after.metadata?.[kind]];
    const ownKeys = [...Object.keys(old), ...Object.keys(now).filter((key) => OWN_KEY.test(key))];
    const mark = ownKeys.find((key) => old[key] !== now[key]);
    if (mark !== undefined)
      return `changes the ${kind.slice(0, -1)} ${mark}, by which the agent finds its own objects`;
  }

  return undefined;
}
