import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  parseAllDocuments,
  visit,
  type YAMLMap,
} from 'yaml';
import { messageOf, OutcomeError } from '../../outcome.ts';
import { oneLine } from '../one-line.ts';

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

/** The patch that a template is, as it stands in the file. */
export interface TemplatePatch {
  readonly metadata?: object;
  readonly spec?: object;
}

/** Names of fields, and places in lists as the file has them. */
export type TemplatePath = readonly (string | number)[];

const FIELDS: readonly string[] = ['apiVersion', 'kind', 'metadata', 'spec'];

/** A template's text, read: what it says, and on which line. */
export class TemplateFile {
  readonly patch: TemplatePatch;
  readonly #document: Document.Parsed<ParsedNode> | undefined;
  readonly #lines = new LineCounter();
  readonly #name: string;

  /** Throws PodTemplateError when the text is no YAML mapping of a pod's fields. */
  constructor({ text, name }: TemplateSource) {
    this.#name = name;
    const options = { lineCounter: this.#lines, prettyErrors: false, merge: true };
    const found = parseAllDocuments(text.replace(/^\uFEFF/, ''), options);
    const documents = 'empty' in found ? [] : found;
    for (const { errors } of documents) {
      const [error] = errors;
      if (error !== undefined) throw this.#problem(error.pos[0], `is not YAML: ${oneLine(error.message)}`);
    }
    const [document, second] = documents.filter(({ contents }) => !isEmpty(contents));
    if (second !== undefined)
      throw this.#problem(second.contents?.range[0] ?? 0, 'begins a second document; a template is one pod');
    this.#document = document;
    const contents = document?.contents;
    if (document === undefined || !isMap(contents))
      throw this.#problem(contents?.range[0] ?? 0, "is not a mapping with a pod's metadata and spec");
    for (const { key } of contents.items) {
      const field = String(key);
      if (!FIELDS.includes(field))
        throw this.#problem(key.range?.[0] ?? 0, `has the field "${field}", which a pod has not`);
    }
    this.patch = this.#read(document);
  }

  /** A problem with what stands at `path`, or with the nearest above it that is there; with its key where `atKey` says so. */
  problemAt(path: TemplatePath, clause: string, { atKey = false } = {}): PodTemplateError {
    return this.#problem(this.#offsetOf(path, atKey), clause);
  }

  #read(document: Document.Parsed<ParsedNode>): TemplatePatch {
    visit(document, {
      Alias: (_, node) => {
        if (node.resolve(document) === undefined)
          throw this.#problem(node.range?.[0] ?? 0, `names the anchor ${node.source}, which nothing above it has`);
      },
    });
    let fields: Record<string, unknown>;
    try {
      fields = document.toJS() as Record<string, unknown>;
    } catch (error) {
      throw this.#problem(0, `can't be read: ${oneLine(messageOf(error))}`);
    }
    const { kind, metadata, spec } = fields;
    if (kind !== undefined && kind !== 'Pod')
      throw this.problemAt(['kind'], `is of kind ${oneLine(JSON.stringify(kind))}; it must be Pod`);
    for (const [field, value] of Object.entries({ metadata, spec })) {
      if (value !== undefined && value !== null && (typeof value !== 'object' || Array.isArray(value)))
        throw this.problemAt([field], `has a ${field} that is not a mapping`);
    }
    return { ...(metadata ? { metadata } : {}), ...(spec ? { spec } : {}) };
  }

  #offsetOf(path: TemplatePath, atKey: boolean): number {
    let node: unknown = this.#document?.contents;
    let offset = 0;
    for (const part of path) {
      const above = this.#resolved(node);
      if (isMap(above)) {
        const pair = this.#pairOf(above, String(part));
        if (pair === undefined) return offset;
        offset = this.#beginning(pair, atKey);
        node = pair.value;
      } else if (isSeq(above) && typeof part === 'number' && isNode(above.items[part])) {
        node = above.items[part];
        offset = startOf(node) ?? offset;
      } else return offset;
    }
    return offset;
  }

  /** Where an entry of a mapping is told to be: its value, unless that begins on another line, or is itself said elsewhere. */
  #beginning({ key, value }: Pair<unknown, unknown>, atKey: boolean): number {
    const [keyAt, valueAt] = [startOf(key) ?? 0, startOf(value)];
    if (atKey || valueAt === undefined) return keyAt;
    return this.#lines.linePos(keyAt).line === this.#lines.linePos(valueAt).line ? valueAt : keyAt;
  }

  #pairOf(map: YAMLMap, name: string): Pair<unknown, unknown> | undefined {
    const own = map.items.find(({ key }) => isScalar(key) && String(key.value) === name);
    if (own !== undefined) return own;
    for (const { key, value } of map.items) {
      if (!isMergeKey(key)) continue;
      const merged = this.#resolved(value);
      const sources = isSeq(merged) ? merged.items.map((item) => this.#resolved(item)) : [merged];
      for (const source of sources) {
        const pair = isMap(source) ? this.#pairOf(source, name) : undefined;
        if (pair !== undefined) return pair;
      }
    }
    return undefined;
  }

  #resolved(node: unknown): unknown {
    return isAlias(node) && this.#document !== undefined ? node.resolve(this.#document) : node;
  }

  #problem(offset: number, clause: string): PodTemplateError {
    const { line, col } = this.#lines.linePos(offset);
    return new PodTemplateError(
      `Failed to use the pod template for jobs: ${this.#name}:${Math.max(1, line)}:${Math.max(1, col)} ${clause}. See docs/kubernetes.md for what a template may say.`,
    );
  }
}

/** What stands between two separators, or behind the last one, is null. */
function isEmpty(contents: Node | null): boolean {
  return contents === null || (isScalar(contents) && contents.value === null && (contents.source ?? '') === '');
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && (typeof key.value === 'symbol' ? key.value.description : key.value) === '<<';
}

function startOf(node: unknown): number | undefined {
  return isNode(node) && !isPair(node) ? node.range?.[0] : undefined;
}
