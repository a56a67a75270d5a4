import { readFile } from 'node:fs/promises';
import { isMap, parseDocument } from 'yaml';
import type { TemplateMapping } from '../../config/kind.ts';
import { defined } from '../../defined.ts';
import { messageOf, OutcomeError, type OutcomeErrorOptions } from '../../outcome.ts';
import { oneLine } from '../one-line.ts';

/** A pod template that can't be used: `config-error`, as it is found before any claim. */
export class PodTemplateError extends OutcomeError {
  override readonly name = 'PodTemplateError';
  constructor(message: string, options: OutcomeErrorOptions) {
    super('config-error', message, options);
  }
}

/** A template's text, read. */
export class TemplateFile {
  /** As it stands in the file. */
  readonly patch: { readonly metadata?: object; readonly spec?: object };
  readonly #name: string;

  /** Throws PodTemplateError when the text is no YAML mapping of a pod's fields. */
  constructor({ text, name }: TemplateMapping) {
    this.#name = name;
    const { kind, metadata, spec, ...others } = this.#fieldsOf(text);
    const stranger = Object.keys(others).find((field) => field !== 'apiVersion');
    if (stranger !== undefined) throw this.problem(`has the field "${stranger}", which a pod has not`);
    if (kind !== undefined && kind !== 'Pod')
      throw this.problem(`is of kind ${oneLine(JSON.stringify(kind))}; it must be Pod`);
    for (const [field, value] of Object.entries({ metadata, spec })) {
      if (value !== undefined && value !== null && (typeof value !== 'object' || Array.isArray(value)))
        throw this.problem(`has a ${field} that is not a mapping`);
    }
    // What is null says nothing: kubectl writes creationTimestamp so.
    for (const [field, value] of Object.entries(metadata ?? {})) {
      if (value !== null && field !== 'labels' && field !== 'annotations')
        throw this.problem(
          `sets metadata.${field}, but of a pod's metadata a template may set labels and annotations only`,
        );
    }
    this.patch = defined({ metadata: metadata ?? undefined, spec: spec ?? undefined });
  }

  /** The sentence of which `clause` says what is wrong. */
  problem(clause: string): PodTemplateError {
    return new PodTemplateError(
      `Failed to use the pod template for jobs: ${this.#name} ${clause}. See docs/kubernetes.md for what a template may say.`,
      { code: 'PRA-K8S-14' },
    );
  }

  #fieldsOf(text: string): Record<string, unknown> {
    const document = parseDocument(text, { merge: true });
    const [error] = document.errors;
    // Its message has line and column, and below them the line itself.
    if (error !== undefined) throw this.problem(`is not YAML: ${oneLine(error.message.replace(/:\n.*/s, ''))}`);
    if (!isMap(document.contents)) throw this.problem("is not a mapping with a pod's metadata and spec");
    try {
      return document.toJS() as Record<string, unknown>;
    } catch (cause) {
      throw this.problem(`can't be read: ${oneLine(messageOf(cause))}`);
    }
  }
}

/** Reads a template: the YAML itself, or the file whose path it is. Throws PodTemplateError. */
export async function loadTemplate(textOrPath: string | TemplateMapping): Promise<TemplateFile> {
  if (typeof textOrPath !== 'string') return new TemplateFile(textOrPath);
  // A path has neither line breaks nor a mapping's colon and space.
  if (/[\n{]|:\s/.test(textOrPath)) return new TemplateFile({ text: textOrPath, name: 'pod_template' });
  const text = await readFile(textOrPath, 'utf8').catch((cause: unknown) => {
    throw new PodTemplateError(
      `Failed to read the pod template for jobs: ${messageOf(cause)}. Give the path of a YAML file that the agent may read, or the YAML itself.`,
      { code: 'PRA-K8S-13', cause },
    );
  });
  return new TemplateFile({ text, name: textOrPath });
}
