import { readFile } from 'node:fs/promises';
import type { V1Pod, V1PodTemplate } from '@kubernetes/client-node';
import { messageOf } from '../../outcome.ts';
import { NEVER } from '../deadline.ts';
import { type Cluster, patienceOf } from './cluster.ts';
import { type ApiRefusedError, refusedWith, targetError } from './errors.ts';
import { createObject, deleteObject } from './objects.ts';
import { culpritIn } from './template-culprit.ts';
import { PodTemplateError, TemplateFile, type TemplatePath, type TemplateSource } from './template-file.ts';
import { checkMetadata } from './template-metadata.ts';
import { checkNeeds } from './template-needs.ts';
import { mergedFieldPath, metadataPath, unknownFieldPath } from './template-path.ts';

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
    const patched = (patch: object, query: Readonly<Record<string, string>> = {}) =>
      cluster.call<V1PodTemplate>({
        subject: { verb: 'patch', resource: 'podtemplates', namespace, name },
        method: 'PATCH',
        path: `/api/v1/namespaces/${namespace}/podtemplates/${name}`,
        // A misspelt field would be dropped without a word.
        query: { fieldValidation: 'Strict', ...query },
        contentType: 'application/strategic-merge-patch+json',
        body: { template: patch },
        signal,
        patience: patienceOf(signal),
      });
    let merged: V1PodTemplate;
    try {
      const remove = () =>
        deleteObject(cluster, { kind: 'podtemplates', name, signal: NEVER, patience: patienceOf(NEVER) });
      try {
        await createObject(cluster, { kind: 'podtemplates', body: base, signal });
        merged = await patched(this.#file.patch).catch(async (error: unknown) => {
          throw await this.#refused(error, pod, (patch) => patched(patch, { dryRun: 'All' }));
        });
      } catch (error) {
        // Also what was created without an answer. The first error wins.
        await remove().catch(() => undefined);
        throw error;
      }
      await remove();
    } catch (error) {
      throw targetError(error, 'merge the pod template');
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

  /** What the API server calls wrong with the merge, at the field that it names, or else at the one that it must mean. */
  async #refused(error: unknown, pod: V1Pod, tried: (patch: object) => Promise<unknown>): Promise<unknown> {
    if (!refusedWith(error, 400, 422, 500)) return error;
    const clause = `is refused by the cluster: ${shortened(error.message)}`;
    const [, unknown] = /unknown field "template\.(.+?)"(?:,|$)/.exec(error.message) ?? [];
    if (unknown !== undefined)
      return this.#file.problemAt(unknownFieldPath(unknown, this.#file.patch), clause, { atKey: true });
    const [, field] = /\btemplate\.((?:spec|metadata)\b.*?): /.exec(error.message) ?? [];
    if (field !== undefined) return this.#at(mergedFieldPath(field, this.#file.patch, pod), clause);
    const [, kind, said = ''] =
      /\btemplate\.(labels|annotations): (?:Invalid value: "(.*?)")?/.exec(error.message) ?? [];
    if (kind !== undefined) return this.#at(metadataPath(kind, said, this.#file.patch), clause);
    const fails = (patch: object) =>
      tried(patch).then(
        () => false,
        (other: unknown) => refusedWith(other, error.status) && isAlike(other, error),
      );
    // A cluster in trouble refuses whatever it is asked.
    if (await fails({})) return error;
    return this.#at(await culpritIn(this.#file.patch, fails), clause);
  }

  #at(path: TemplatePath, clause: string): PodTemplateError {
    return this.#file.problemAt(path, clause);
  }
}

/** Without the values of the whole list, the agent's own scripts with them, that some refusals show. */
function shortened(message: string): string {
  return message
    .replace(PREFIX, '')
    .replace(/(types are not identical): .*/s, '$1')
    .replace(/^map: map\[.*?(?:\] does not contain declared merge key: |…$)/s, 'an element lacks its key: ');
}

/** Of what has no name, as a patch has none. */
const PREFIX = /^"" is invalid: (?:patch: )?/;

/** True for refusals of one kind: what differs from piece to piece are the values that they show. */
function isAlike(one: ApiRefusedError, other: ApiRefusedError): boolean {
  const [kind, otherKind] = [one, other].map(({ message }) => message.replace(PREFIX, '').split(/["'[{]/)[0]);
  return kind === otherKind;
}
