import { isMap, isNode, isScalar, isSeq, LineCounter, parse, parseDocument } from 'yaml';
import { messageOf } from '../outcome.ts';
import { nearest } from './edit-distance.ts';
import type { TemplateMapping } from './kind.ts';
import { type ConfigProblem, describeProblem, type Position, problemWith, type Setting } from './problem.ts';
import { maskSecretLike, quoteValue } from './quote.ts';
import { isKey, KEY_NAMES, type KeyName } from './schema.ts';

/** What a configuration file holds. */
export interface FileContents {
  /** False when the text is no YAML mapping: then nothing of it is in `settings`. */
  readonly usable: boolean;
  readonly settings: ReadonlyMap<KeyName, Setting>;
  readonly problems: readonly ConfigProblem[];
  /** What was passed over: sentences with their place. */
  readonly warnings: readonly string[];
}

const MERGE_KEY = '<<';
// prettyErrors would quote the line, which may hold the token; logLevel keeps the parser from writing to stderr.
const OPTIONS = { prettyErrors: false, logLevel: 'error', merge: true } as const;

/**
 * Reads the text of a configuration file. A key set to null or to blank text is left out, as if it were not there.
 * A key that is not known is passed over with a warning: the file may be meant for an older or a newer agent.
 * When the text is no YAML nothing of it is used: what the parser recovers would only mislead.
 */
export function parseConfigFile(file: string, text: string): FileContents {
  const lineCounter = new LineCounter();
  // failsafe leaves each scalar as it was written: 007 stays 007
  const document = parseDocument(text, { ...OPTIONS, lineCounter, schema: 'failsafe' });
  const place = (offset = 0): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const at = (offset: number | undefined, message: string): ConfigProblem => ({ message, file, ...place(offset) });
  const { contents, errors } = document;
  const pairs = isMap(contents) ? contents.items : [];
  const settings = new Map<KeyName, Setting>();
  const warnings = document.warnings.map(({ message, pos }) =>
    describeProblem(at(pos[0], `${withoutSource(message)}.`)),
  );

  const problems: ConfigProblem[] = [];
  let values: object = {};
  try {
    const broken = errors.filter(({ code }) => code !== 'DUPLICATE_KEY');
    problems.push(...broken.map(({ message, pos }) => at(pos[0], `not valid YAML: ${withoutSource(message)}`)));
    // Aliases and merge keys are followed here.
    const root: unknown = broken.length === 0 ? document.toJS() : {};
    if (isMapping(root)) values = root;
    else if (!isNothing(root))
      problems.push(at(contents?.range?.[0], 'the file must hold keys and values, one `key: value` a line'));
  } catch (error) {
    problems.push(at(contents?.range?.[0], `the file can't be read: ${withoutSource(messageOf(error))}`));
  }
  if (problems.length > 0) return { usable: false, settings, problems, warnings };

  for (const { code, pos } of errors) {
    const name = nameOf(pairs.find(({ key }) => key.range[0] === pos[0])?.key);
    const shown = name === '' ? 'a key' : isKey(name) ? name : quoteValue(name);
    if (code === 'DUPLICATE_KEY') problems.push(at(pos[0], `${shown} is given twice; keep one`));
  }
  const own = Map.groupBy(pairs, ({ key }) => nameOf(key));
  for (const [name, [pair]] of own) {
    if (!isKey(name) && name !== MERGE_KEY) warnings.push(describeProblem(at(pair?.key.range[0], unknownKey(name))));
  }
  for (const [name, value] of Object.entries(values)) {
    if (!isKey(name) || isNothing(value)) continue;
    // A key of a merged mapping stands where the merge does.
    const [pair] = own.get(name) ?? own.get(MERGE_KEY) ?? [];
    const items = isSeq(pair?.value) ? pair.value.items.map((item) => place(isNode(item) ? item.range?.[0] : 0)) : [];
    const setting = { name, file, items, ...place(pair?.key.range[0]) };
    try {
      settings.set(name, { ...setting, written: isMapping(value) ? mappingOf(name, file, text) : trimmed(value) });
    } catch (error) {
      problems.push(problemWith(name, setting, `can't be read: ${messageOf(error)}`));
    }
  }
  return { usable: true, settings, problems, warnings };
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for what YAML 1.2 takes for null, and for blank text. */
function isNothing(value: unknown): boolean {
  return value === null || (typeof value === 'string' && /^(~|null|Null|NULL|\s*)$/.test(value));
}

function trimmed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(trimmed);
  return typeof value === 'string' ? value.trim() : value;
}

/** The mapping of `key` as JSON, with the numbers and switches that YAML reads in it. */
function mappingOf(key: KeyName, file: string, text: string): TemplateMapping {
  const values: Readonly<Record<string, unknown>> = parse(text, { ...OPTIONS, uniqueKeys: false });
  return { text: JSON.stringify(values[key]), name: file };
}

function nameOf(key: unknown): string {
  return isScalar(key) ? (key.source ?? '') : '';
}

/** The parser's message without the piece of the file that some of them end with, and masked all the same. */
function withoutSource(message: string): string {
  return maskSecretLike(message.replace(/(?<=\w): .*$/s, ''));
}

function unknownKey(name: string): string {
  const near = nearest(name, KEY_NAMES);
  return `${quoteValue(name)} is not a known key and has no effect${near === undefined ? '.' : `; did you mean ${near}?`}`;
}
