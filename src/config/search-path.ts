import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../outcome.ts';
import type { ConfigProblem } from './problem.ts';

export const CONFIG_FILE_NAME = 'pulumi-workflow-agent.yaml';
/** What the file was called when the agent served deployments only. */
export const LEGACY_CONFIG_FILE_NAME = 'pulumi-deployment-agent.yaml';

export interface SearchSources {
  readonly workingDirectory: string;
  readonly homeDirectory: string;
  readonly agentDirectory: string;
  /** The one file to read instead of searching; it must exist. */
  readonly file?: string;
  /** The text of a file, or undefined when it does not exist; may throw. */
  readonly readFile?: (path: string) => string | undefined;
}

/** The file that was found, if one was, and what stood in the way. */
export interface FoundFile {
  readonly file?: string;
  readonly text?: string;
  readonly problems: readonly ConfigProblem[];
  readonly notices: readonly string[];
}

/** Where the file is looked for, in Pulumi's documented order; the first hit wins. */
export function searchDirectories({ workingDirectory, homeDirectory, agentDirectory }: SearchSources): string[] {
  return [
    ...new Set([workingDirectory, homeDirectory, '/etc', agentDirectory].filter((directory) => directory !== '')),
  ];
}

/** Reads the named file, or the first on the search path; files of the old name come after all of the new name. */
export function findConfigFile(sources: SearchSources): FoundFile {
  const { file, workingDirectory, readFile = file === undefined ? readIfPresent : readNamed } = sources;
  const directories = searchDirectories(sources);
  const candidates =
    file === undefined
      ? [CONFIG_FILE_NAME, LEGACY_CONFIG_FILE_NAME].flatMap((name) => directories.map((from) => path.join(from, name)))
      : [path.resolve(workingDirectory, file)];
  for (const candidate of candidates) {
    try {
      const text = readFile(candidate);
      if (text !== undefined) return { file: candidate, text, problems: [], notices: legacyNotice(candidate) };
    } catch (error) {
      const cause = messageOf(error);
      const message = `the file cannot be read: ${cause}`;
      return { file: candidate, problems: [{ message, file: candidate }], notices: [] };
    }
  }
  const missing = candidates.map((candidate) => ({ message: 'the file does not exist', file: candidate }));
  return { problems: file === undefined ? [] : missing, notices: [] };
}

function legacyNotice(file: string): string[] {
  if (path.basename(file) !== LEGACY_CONFIG_FILE_NAME) return [];
  return [`${file} has the old name of the configuration file; rename it to ${CONFIG_FILE_NAME}.`];
}

/** A directory that may not be searched holds no file for us, as for the official agent; an unreadable file throws. */
function readIfPresent(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined || found.isDirectory()) return undefined;
  } catch {
    return undefined;
  }
  return readFileSync(file, 'utf8');
}

function readNamed(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
