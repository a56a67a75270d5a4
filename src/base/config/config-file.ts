import { statSync } from 'node:fs';
import path from 'node:path';
import { isMap, isScalar, LineCounter, parse, parseDocument } from 'yaml';
import { type Environment, homeOf } from '../environment.ts';
import { messageOf } from '../outcome.ts';
import type { Mapping } from './key-definition.ts';
import {
  type ConfigProblem,
  describeProblem,
  maskSecretLike,
  nearest,
  problemWith,
  quoteValue,
  type Setting,
} from './problem.ts';
import { isKey, KEY_NAMES, type KeyName } from './schema.ts';
import { readOfRoot, readText } from './trusted-file.ts';

export const CONFIG_FILE_NAME = 'pulumi-workflow-agent.yaml';

/** The file's name when the agent served only deployments. */
const LEGACY_CONFIG_FILE_NAME = 'pulumi-deployment-agent.yaml';

/** The file with which an administrator configures the action on a machine. */
export const MACHINE_FILE = path.join('/etc', CONFIG_FILE_NAME);

export interface FileSources {
  /** A relative `file` starts here. */
  readonly workingDirectory: string;
  /** The one file to read instead of searching; it must exist. */
  readonly file?: string | undefined;
  /** The folders to search otherwise; the first hit wins. None when absent. */
  readonly directories?: readonly string[] | undefined;
  /** The text of a file, or undefined when it does not exist; may throw. */
  readonly readFile?: ((path: string) => string | undefined) | undefined;
}

/** The configuration file in effect; without one, `file` is absent and nothing is set. */
export interface ConfigFile {
  readonly file?: string | undefined;
  /** Says that there is none, and where it was searched for. */
  readonly absence: string;
  readonly notices: readonly string[];
  /** False when it can't be read or isn't a valid YAML mapping; `settings` is then empty. */
  readonly usable: boolean;
  readonly settings: ReadonlyMap<KeyName, Setting>;
  readonly problems: readonly ConfigProblem[];
  /** Sentences about what was ignored, with its position. */
  readonly warnings: readonly string[];
}

/** The process in which a command of the agent runs. */
export interface ProcessContext {
  readonly environment: Environment;
  readonly workingDirectory: string;
  /** The folder that contains the agent's program. */
  readonly agentDirectory: string;
}

/** The directories that a command searches, in Pulumi's documented order. */
export function searchDirectories({
  workingDirectory,
  environment,
  agentDirectory,
}: ProcessContext): string[] {
  const directories = [workingDirectory, homeOf(environment), '/etc', agentDirectory];
  return [...new Set(directories.filter((directory) => directory !== ''))];
}

/** The paths of a file in these directories; the old name's come after all of the new one's. */
export function candidatesIn(directories: readonly string[]): string[] {
  return [CONFIG_FILE_NAME, LEGACY_CONFIG_FILE_NAME].flatMap((name) =>
    directories.map((from) => path.join(from, name)),
  );
}

/** Reads the machine's file. If another user than root can have written it, that is a problem. */
export function readMachineFile(): ConfigFile {
  return readConfigFile({ workingDirectory: '/', file: MACHINE_FILE, readFile: (file) => readOfRoot(file) });
}

/** Reads the named file, or the first that the directories hold. */
export function readConfigFile(sources: FileSources): ConfigFile {
  const { file, directories = [], workingDirectory } = sources;
  const { readFile = file === undefined ? readIfPresent : readText } = sources;
  const candidates = file === undefined ? candidatesIn(directories) : [path.resolve(workingDirectory, file)];
  const where =
    directories.length === 0 ? 'configuration file' : `${CONFIG_FILE_NAME} in ${directories.join(', ')}`;

  const absent = {
    usable: true,
    settings: new Map<KeyName, Setting>(),
    problems: [],
    warnings: [],
    notices: [],
    absence: `no ${where}`,
  };

  for (const candidate of candidates) {
    let text: string | undefined;
    try {
      text = readFile(candidate);
    } catch (error) {
      const message = `the file cannot be read: ${messageOf(error)}`;
      return { ...absent, file: candidate, usable: false, problems: [{ message, file: candidate }] };
    }

    if (text === undefined) continue;

    const advice = `${candidate} has the old name of the configuration file; rename it to ${CONFIG_FILE_NAME}.`;
    const notices = path.basename(candidate) === LEGACY_CONFIG_FILE_NAME ? [advice] : [];

    return { ...absent, file: candidate, notices, ...parseConfigFile(candidate, text) };
  }

  return absent;
}

/**
 * Like the official agent, undefined for a missing file or an unsearchable directory. An unreadable
 * file throws.
 */
function readIfPresent(file: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined || stats.isDirectory()) return undefined;
  } catch {
    return undefined;
  }
  return readText(file);
}

const MERGE_KEY = '<<';

// prettyErrors would quote the line, which may hold the token; logLevel keeps the parser from
// writing to stderr.
const OPTIONS = { prettyErrors: false, logLevel: 'error', merge: true } as const;

/**
 * Reads the text of a configuration file. Null and blank values are left out; an unknown key, which
 * another version may know, is a warning. Nothing of invalid YAML is used: what the parser recovers
 * would only mislead.
 */
function parseConfigFile(file: string, text: string): Omit<ConfigFile, 'file' | 'absence' | 'notices'> {
  const lineCounter = new LineCounter();

  // failsafe leaves each scalar as it was written: 007 stays 007
  const document = parseDocument(text, { ...OPTIONS, lineCounter, schema: 'failsafe' });

  const positionOf = (offset = 0) => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };

  const problemAt = (offset: number | undefined, message: string): ConfigProblem => ({
    message,
    file,
    ...positionOf(offset),
  });

  const { contents } = document;
  const warnings = document.warnings.map(({ message, pos }) =>
    describeProblem(problemAt(pos[0], `${withoutSource(message)}.`)),
  );

  const problems = document.errors.map(({ code, message, pos }) => {
    const isTwice = code === 'DUPLICATE_KEY';
    return problemAt(
      pos[0],
      isTwice ? 'duplicate key; keep one' : `not valid YAML: ${withoutSource(message)}`,
    );
  });

  let values: object = {};

  try {
    // Aliases and merge keys are resolved here.
    const root: unknown = problems.length === 0 ? document.toJS() : {};
    if (isMapping(root)) values = root;
    else if (!isNothing(root))
      problems.push(
        problemAt(contents?.range?.[0], 'the file must hold keys and values, one `key: value` a line'),
      );
  } catch (error) {
    problems.push(
      problemAt(contents?.range?.[0], `the file can't be read: ${withoutSource(messageOf(error))}`),
    );
  }

  const settings = new Map<KeyName, Setting>();
  if (problems.length > 0) return { usable: false, settings, problems, warnings };

  const pairs = new Map((isMap(contents) ? contents.items : []).map((pair) => [nameOf(pair.key), pair]));
  for (const [name, { key }] of pairs) {
    if (!isKey(name) && name !== MERGE_KEY)
      warnings.push(describeProblem(problemAt(key.range[0], unknownKey(name))));
  }

  for (const [name, value] of Object.entries(values)) {
    if (!isKey(name) || isNothing(value)) continue;

    // A key from a merged mapping has the position of the merge key.
    const pair = pairs.get(name) ?? pairs.get(MERGE_KEY);
    const source = { name, file, ...positionOf(pair?.key.range[0]) };

    try {
      settings.set(name, {
        ...source,
        written: isMapping(value) ? mappingOf(name, file, text) : trimmed(value),
      });
    } catch (error) {
      const reason =
        error instanceof TypeError ? 'an alias in it leads back to itself' : withoutSource(messageOf(error));
      problems.push(problemWith(name, source, `can't be read: ${reason}`));
    }
  }

  return { usable: true, settings, problems, warnings };
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for YAML 1.2's spellings of null, and for blank text. */
function isNothing(value: unknown): boolean {
  return value === null || (typeof value === 'string' && /^(~|null|Null|NULL|\s*)$/.test(value));
}

function trimmed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(trimmed);
  return typeof value === 'string' ? value.trim() : value;
}

/** The mapping of `key` as JSON, with YAML's numbers and booleans. */
function mappingOf(key: KeyName, file: string, text: string): Mapping {
  const values: Readonly<Record<string, unknown>> = parse(text, { ...OPTIONS, uniqueKeys: false });
  return { text: JSON.stringify(values[key]), name: file };
}

function nameOf(key: unknown): string {
  return isScalar(key) ? (key.source ?? '') : '';
}

/**
 * The parser's message without the excerpt of the file that some end with, and masked in any case.
 */
function withoutSource(message: string): string {
  return maskSecretLike(message.replace(/(?<=\w): .*$/s, ''));
}

function unknownKey(name: string): string {
  const near = nearest(name, KEY_NAMES);
  return `${quoteValue(name)} is not a known key and has no effect${near === undefined ? '.' : `; did you mean ${near}?`}`;
}
