import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { nearest } from './edit-distance.ts';
import { type ConfigProblem, describeProblem } from './problem.ts';
import { maskSecretLike, quoteValue } from './quote.ts';
import { definitionOf, environmentNames, fileKey, KEY_NAMES, type KeyName } from './schema.ts';
import type { Content, Item, Setting } from './setting.ts';

const MERGE_KEY = '<<';

/** What a configuration file holds. */
export interface FileContents {
  /** False when the text is no YAML mapping: then nothing of it is in `settings`. */
  readonly usable: boolean;
  readonly settings: ReadonlyMap<KeyName, Setting>;
  readonly problems: readonly ConfigProblem[];
  /** What was passed over: sentences with their place. */
  readonly warnings: readonly string[];
}

/**
 * Reads the text of a configuration file. A key set to null or to blank text is left out, as if it were not there.
 * A key that is not known is passed over with a warning: the file may be meant for an older or a newer agent.
 * When the text is no YAML nothing of it is used: what the parser recovers would only mislead.
 */
export function parseConfigFile(file: string, text: string): FileContents {
  const lines = new LineCounter();
  // prettyErrors would quote the line, which may hold the token; uniqueKeys would not say where the first one stands
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const problems: ConfigProblem[] = [];
  const settings = new Map<KeyName, Setting>();
  const at = (offset: number | undefined): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset ?? 0);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const warnings = document.warnings.map(({ message, pos }) =>
    describeProblem({ message: `${withoutSource(message)}.`, file, ...at(pos[0]) }),
  );
  for (const { message, pos } of document.errors) {
    problems.push({ message: `not valid YAML: ${withoutSource(message)}`, file, ...at(pos[0]) });
  }
  if (problems.length > 0) return { usable: false, settings, problems, warnings };
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    return { usable: true, settings, problems, warnings };
  }
  if (!isMap(document.contents)) {
    const message = 'the file must hold keys and values, one `key: value` a line';
    return { usable: false, settings, problems: [{ message, file, ...at(document.contents.range[0]) }], warnings };
  }

  /** Text of a scalar as written, so that 007 stays 007; undefined when it is null or no scalar. */
  const scalarText = (node: unknown): string | undefined => {
    if (!isScalar(node) || node.value === null) return undefined;
    return typeof node.value === 'string' ? node.value.trim() : (node.source ?? String(node.value));
  };
  const resolved = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  /** A mapping as JSON, with what it takes from elsewhere in the file. Throws for a key that it has twice, and for one that grows without end. */
  const sourceOf = (start: number, end: number): string => {
    const merging = parseDocument(text, { merge: true, prettyErrors: false });
    const wrong = merging.errors.find(({ pos }) => pos[0] >= start && pos[0] < end);
    if (wrong !== undefined) throw wrong;
    let json = '';
    visit(merging, {
      Map: (_, map) => {
        if (map.range?.[0] !== start) return;
        json = JSON.stringify(map.toJS(merging));
        return visit.BREAK;
      },
    });
    return json;
  };
  const contentOf = (node: unknown): Content | undefined => {
    if (isMap(node)) return { shape: 'mapping', source: () => sourceOf(node.range?.[0] ?? 0, node.range?.[1] ?? 0) };
    if (!isSeq(node)) {
      const value = scalarText(node);
      return value === undefined || value === '' ? undefined : { text: value };
    }
    const items: Item[] = [];
    for (const element of node.items) {
      const target = resolved(element);
      if (isMap(target) || isSeq(target)) return { shape: 'nested list' };
      const position = isScalar(element) || isAlias(element) ? at(element.range?.[0]) : at(node.range?.[0]);
      items.push({ text: scalarText(target) ?? '', ...position });
    }
    return { items };
  };

  const nameOf = (node: unknown): string => (isScalar(node) ? (scalarText(node) ?? '') : '');
  const firstLines = new Map<string, number>();
  const merged: unknown[] = [];
  for (const { key: keyNode, value } of document.contents.items) {
    const name = nameOf(keyNode);
    const position = at(keyNode.range[0]);
    const first = firstLines.get(name);
    const key = fileKey(name);
    if (name === MERGE_KEY) {
      const target = resolved(value);
      merged.push(...(isSeq(target) ? target.items.map(resolved) : [target]));
    } else if (first !== undefined) {
      const message = `${key ?? quoteValue(name)} is given twice, first on line ${first}; keep one`;
      problems.push({ message, key: maskSecretLike(name), file, ...position });
    } else if (key === undefined) {
      warnings.push(describeProblem({ message: unknownKey(name), file, ...position }));
    } else {
      const content = contentOf(resolved(value));
      if (content !== undefined) settings.set(key, { content, origin: 'file', name: key, file, ...position });
    }
    if (first === undefined) firstLines.set(name, position.line);
  }
  // As YAML says of merge keys: what the mapping has itself counts more, then the first of those that are merged.
  for (const mapping of merged) {
    for (const { key: keyNode, value } of isMap(mapping) ? mapping.items : []) {
      const key = fileKey(nameOf(keyNode));
      const content = contentOf(resolved(value));
      if (key === undefined || content === undefined || firstLines.has(key) || settings.has(key)) continue;
      const position = at(isScalar(keyNode) ? keyNode.range?.[0] : undefined);
      settings.set(key, { content, origin: 'file', name: key, file, ...position });
    }
  }
  return { usable: true, settings, problems, warnings };
}

/** The parser's message without the piece of the file that some of them end with, and masked all the same. */
function withoutSource(message: string): string {
  return maskSecretLike(message.replace(/(?<=\w): .*$/s, ''));
}

function unknownKey(name: string): string {
  const environmentOnly = KEY_NAMES.find((key) => key === name && definitionOf(key).environmentOnly === true);
  if (environmentOnly !== undefined) {
    const variable = environmentNames(environmentOnly).join(' or ');
    return `${name} has no effect in a file; it can only be set in the environment, as ${variable}.`;
  }
  const near = nearest(
    name,
    KEY_NAMES.filter((key) => fileKey(key) !== undefined),
  );
  return `${quoteValue(name)} is not a known key and has no effect${near === undefined ? '.' : `; did you mean ${near}?`}`;
}
