import { readFile } from 'node:fs/promises';
import type { V1Pod, V1PodTemplate } from '@kubernetes/client-node';
import { messageOf } from '../../outcome.ts';
import { NEVER } from '../deadline.ts';
import { type Cluster, patienceOf } from './cluster.ts';
import { refusedWith, targetError } from './errors.ts';
import { createObject, deleteObject } from './objects.ts';
import { PodTemplateError, TemplateFile, type TemplateSource } from './template-file.ts';
import { checkMetadata } from './template-metadata.ts';
import { checkNeeds } from './template-needs.ts';

/** Reads a template: the YAML itself, or the file whose path it is. Throws PodTemplateError. */
export async function templateSource(textOrPath: string | TemplateSource): Promise<TemplateSource> {
  if (typeof textOrPath !== 'string') return textOrPath;
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
  readonly #file: TemplateFile;

  /** Throws PodTemplateError when the text is no YAML mapping of a pod's fields, or sets metadata that is the agent's. */
  constructor(source: TemplateSource) {
    this.#file = new TemplateFile(source);
    checkMetadata(this.#file);
  }

  /**
   * The pod with the template merged over it. The API server itself merges, on a PodTemplate object that lives for this long:
   * nothing else is sure to have its exact semantics. Throws PodTemplateError when the merge breaks what the agent needs.
   */
  async mergeOver(pod: V1Pod, cluster: Cluster, signal: AbortSignal): Promise<V1Pod> {
    const namespace = await cluster.namespace();
    const { name = '', labels, annotations } = pod.metadata ?? {};
    const base: V1PodTemplate = {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) },
      template: {
        metadata: { ...(labels && { labels }), ...(annotations && { annotations }) },
        ...(pod.spec && { spec: pod.spec }),
      },
    };
    let merged: V1PodTemplate;
    try {
      const remove = () =>
        deleteObject(cluster, { kind: 'podtemplates', name, signal: NEVER, patience: patienceOf(NEVER) });
      try {
        await createObject(cluster, { kind: 'podtemplates', body: base, signal });
        merged = await cluster.call<V1PodTemplate>({
          subject: { verb: 'patch', resource: 'podtemplates', namespace, name },
          method: 'PATCH',
          path: `/api/v1/namespaces/${namespace}/podtemplates/${name}`,
          // A misspelt field would be dropped without a word.
          query: { fieldValidation: 'Strict' },
          contentType: 'application/strategic-merge-patch+json',
          body: { template: this.#file.patch },
          signal,
          patience: patienceOf(signal),
        });
      } catch (error) {
        // Also what was created without an answer. The first error wins.
        await remove().catch(() => undefined);
        throw error;
      }
      await remove();
    } catch (error) {
      throw this.#refused(error) ?? targetError(error, 'merge the pod template');
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
    checkNeeds(this.#file, pod, result);
    return result;
  }

  /** What the API server itself calls wrong with the merge; undefined when something else went wrong. */
  #refused(error: unknown): PodTemplateError | undefined {
    if (!refusedWith(error, 400, 422, 500) || error.subject.verb !== 'patch') return undefined;
    // A list that can't be merged is answered with 500, as the cluster's own trouble is.
    if (error.status === 500 && !/\bpatch\b|merge key|types are not identical/.test(error.message)) return undefined;
    return this.#file.problem(`is refused by the cluster: ${shortened(error.message)}`);
  }
}

/** Without the values of the whole list, the agent's own scripts with them, that some refusals show. */
function shortened(message: string): string {
  return message
    .replace(/^"" is invalid: (?:patch: )?/, '')
    .replace(/(types are not identical): .*/s, '$1')
    .replace(/^map: map\[.*?(?:\] does not contain declared merge key: |…$)/s, 'an element lacks its key: ');
}
