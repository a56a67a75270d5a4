import { readFile } from 'node:fs/promises';
import type { V1Pod, V1PodTemplate } from '@kubernetes/client-node';
import { type Document, isMap, LineCounter, type ParsedNode, parseDocument } from 'yaml';
import { messageOf, OutcomeError } from '../../outcome.ts';
import { NEVER } from '../deadline.ts';
import { oneLine } from '../one-line.ts';
import type { Cluster } from './cluster.ts';
import { refusedWith, targetError } from './errors.ts';
import { JOB_CONTAINER } from './pod.ts';
import { deleteObject } from './removal.ts';

/** A pod template that can't be used; `config-error`, as it is found before any claim. */
export class PodTemplateError extends OutcomeError {
  override readonly name = 'PodTemplateError';
  constructor(message: string, options?: ErrorOptions) {
    super('config-error', message, options);
  }
}

/** Where a template's text comes from, for messages: a file's path, or `pod_template`. */
export interface TemplateSource {
  readonly text: string;
  readonly name: string;
}

/** Reads a template: the YAML itself, or the file whose path it is. Throws PodTemplateError. */
export async function templateSource(textOrPath: string): Promise<TemplateSource> {
  // A path has neither line breaks nor a mapping's colon and space.
  if (/[\n{]|:\s/.test(textOrPath)) return { text: textOrPath, name: 'pod_template' };
  try {
    return { text: await readFile(textOrPath, 'utf8'), name: textOrPath };
  } catch (error) {
    throw new PodTemplateError(
      `Failed to read the pod template for jobs: ${messageOf(error)}. Give the path of a YAML file that the agent may read, or the YAML itself.`,
      { cause: error },
    );
  }
}

/** The platform team's strategic merge patch over every job's pod. */
export class PodTemplate {
  readonly #document: Document.Parsed<ParsedNode>;
  readonly #lines = new LineCounter();
  readonly #name: string;
  readonly #patch: { readonly metadata?: object; readonly spec?: object };

  /** Throws PodTemplateError when the text is no YAML mapping of a pod's fields. */
  constructor({ text, name }: TemplateSource) {
    this.#name = name;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const [error] = this.#document.errors;
    if (error !== undefined) throw this.#problem(error.pos[0], `is not YAML: ${oneLine(error.message)}`);
    if (!isMap(this.#document.contents)) throw this.#problem(0, "is not a mapping with a pod's metadata and spec");
    for (const { key } of this.#document.contents.items) {
      const field = String(key);
      if (!['apiVersion', 'kind', 'metadata', 'spec'].includes(field))
        throw this.#problem(key.range?.[0] ?? 0, `has the field "${field}", which a pod has not`);
    }
    const { kind, metadata, spec } = this.#document.toJS() as Record<string, object | string | undefined>;
    if (kind !== undefined && kind !== 'Pod') throw this.#at(['kind'], `is of kind ${String(kind)}; it must be Pod`);
    for (const [field, value] of Object.entries({ metadata, spec })) {
      if (value !== undefined && value !== null && typeof value !== 'object')
        throw this.#at([field], `has a ${field} that is not a mapping`);
    }
    this.#patch = { ...(metadata ? { metadata: metadata as object } : {}), ...(spec ? { spec: spec as object } : {}) };
  }

  /**
   * The pod with the template merged over it. The API server itself merges, on a PodTemplate object that lives for this long:
   * nothing else is sure to have its exact semantics. Throws PodTemplateError when the merge breaks what the agent needs.
   */
  async mergeOver(pod: V1Pod, cluster: Cluster, signal: AbortSignal): Promise<V1Pod> {
    const namespace = await cluster.namespace();
    const { name = '', labels, annotations } = pod.metadata ?? {};
    const path = `/api/v1/namespaces/${namespace}/podtemplates`;
    const base: V1PodTemplate = {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) },
      template: {
        metadata: { ...(labels && { labels }), ...(annotations && { annotations }) },
        ...(pod.spec && { spec: pod.spec }),
      },
    };
    const subject = (verb: 'create' | 'patch') => ({ verb, resource: 'podtemplates', namespace, name }) as const;
    let merged: V1PodTemplate;
    try {
      await cluster.call({ subject: subject('create'), method: 'POST', path, body: base, signal: NEVER });
      try {
        merged = await cluster.call({
          subject: subject('patch'),
          method: 'PATCH',
          path: `${path}/${name}`,
          // A misspelt field would be dropped without a word.
          query: { fieldValidation: 'Strict' },
          contentType: 'application/strategic-merge-patch+json',
          body: { template: this.#patch },
          signal,
        });
      } finally {
        await deleteObject(cluster, { kind: 'podtemplates', name, signal: NEVER });
      }
    } catch (error) {
      throw this.#refused(error);
    }
    const { metadata, spec } = merged.template ?? {};
    const result: V1Pod = {
      ...pod,
      metadata: {
        ...pod.metadata,
        ...(metadata?.labels && { labels: metadata.labels }),
        ...(metadata?.annotations && { annotations: metadata.annotations }),
      },
      ...(spec && { spec }),
    };
    this.#check(pod, result);
    return result;
  }

  /** What the API server calls wrong with the merge, at the field that it names. */
  #refused(error: unknown): unknown {
    if (!refusedWith(error, 400, 422, 500)) return targetError(error, 'merge the pod template');
    const [, field = ''] = /template\.((?:spec|metadata)[\w.[\]/-]*)/.exec(error.message) ?? [];
    const path = field.split(/[.[\]]+/).filter((part) => part !== '');
    return this.#at(path, `is refused by the cluster: ${error.message}`);
  }

  #check(before: V1Pod, after: V1Pod): void {
    const was = before.spec?.containers[0];
    const container = after.spec?.containers.find(({ name }) => name === JOB_CONTAINER);
    if (was === undefined || container === undefined)
      throw this.#at(['spec', 'containers'], `takes away the container ${JOB_CONTAINER}, which runs the job`);
    const own = this.#containerPath();
    const kept: [path: (string | number)[], field: string, before: unknown, after: unknown][] = [
      [['spec', 'restartPolicy'], 'spec.restartPolicy', 'Never', after.spec?.restartPolicy],
      [[...own, 'command'], 'the command of container pulumi-workflow', was.command, container.command],
      [[...own, 'args'], 'the args of container pulumi-workflow', was.args, container.args],
      [[...own, 'workingDir'], 'the workingDir of container pulumi-workflow', was.workingDir, container.workingDir],
    ];
    for (const [path, field, old, now] of kept) {
      if (JSON.stringify(old) !== JSON.stringify(now))
        throw this.#at(path, `changes ${field}, by which the agent runs steps and ends the pod; leave it out`);
    }
    for (const mount of was.volumeMounts ?? []) {
      const same = container.volumeMounts?.find(({ mountPath }) => mountPath === mount.mountPath);
      if (same?.name !== mount.name || same.readOnly === true || same.subPath !== undefined)
        throw this.#at(
          [...own, 'volumeMounts'],
          `changes what is mounted at ${mount.mountPath}, where the agent keeps the job's files`,
        );
    }
    for (const volume of before.spec?.volumes ?? []) {
      if (after.spec?.volumes?.find(({ name }) => name === volume.name)?.emptyDir === undefined)
        throw this.#at(['spec', 'volumes'], `changes the volume ${volume.name}, where the agent keeps the job's files`);
    }
    for (const [key, value] of Object.entries(before.metadata?.labels ?? {})) {
      if (after.metadata?.labels?.[key] !== value)
        throw this.#at(
          ['metadata', 'labels', key],
          `changes the label ${key}, by which the agent finds what is its own`,
        );
    }
    for (const [key, value] of Object.entries(before.metadata?.annotations ?? {})) {
      if (after.metadata?.annotations?.[key] !== value)
        throw this.#at(
          ['metadata', 'annotations', key],
          `changes the annotation ${key}, by which the agent finds what is its own`,
        );
    }
  }

  /** Where the template speaks of the job's container. */
  #containerPath(): (string | number)[] {
    const { containers } = (this.#patch.spec ?? {}) as { containers?: readonly ({ readonly name?: unknown } | null)[] };
    const at = Array.isArray(containers) ? containers.findIndex((container) => container?.name === JOB_CONTAINER) : -1;
    return ['spec', 'containers', ...(at < 0 ? [] : [at])];
  }

  /** A problem with the node at `path`, or with the nearest above it that is there. */
  #at(path: readonly (string | number)[], clause: string): PodTemplateError {
    for (let depth = path.length; depth > 0; depth -= 1) {
      const node = this.#document.getIn(path.slice(0, depth), true) as { range?: [number, number, number] } | undefined;
      if (node?.range !== undefined && node.range !== null) return this.#problem(node.range[0], clause);
    }
    return this.#problem(0, clause);
  }

  #problem(offset: number, clause: string): PodTemplateError {
    const { line, col } = this.#lines.linePos(offset);
    return new PodTemplateError(
      `Failed to use the pod template for jobs: ${this.#name}:${Math.max(1, line)}:${Math.max(1, col)} ${clause}. See docs/kubernetes.md for what a template may say.`,
    );
  }
}
