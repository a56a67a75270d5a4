import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretMasker } from './secret-masker.ts';

/** A command file's content that the runner refuses, which fails the step. */
export class CommandFileError extends Error {
  override readonly name = 'CommandFileError';
}

/** A phase's command files: the variable that names each, and its file name's prefix. */
const FILES = {
  output: ['GITHUB_OUTPUT', 'set_output'],
  state: ['GITHUB_STATE', 'save_state'],
  env: ['GITHUB_ENV', 'set_env'],
  path: ['GITHUB_PATH', 'add_path'],
  summary: ['GITHUB_STEP_SUMMARY', 'step_summary'],
} as const;

/** The paths of the five files, and the variables that name them. */
export interface CommandFiles extends Readonly<Record<keyof typeof FILES, string>> {
  readonly environment: Readonly<Record<string, string>>;
}

/** GitHub drops a larger summary entirely (actions/runner, `CreateStepSummaryCommand.AttachmentSizeLimit`). */
const SUMMARY_LIMIT_BYTES = 1024 * 1024;

/** Creates empty command files under `<temp>/_runner_file_commands`, named as the runner names them. */
export async function createCommandFiles(tempDirectory: string): Promise<CommandFiles> {
  const directory = join(tempDirectory, '_runner_file_commands');
  await mkdir(directory, { recursive: true });
  const suffix = randomUUID();
  const named = Object.entries(FILES).map(([file, [variable, prefix]]) => ({
    file,
    variable,
    path: join(directory, `${prefix}_${suffix}`),
  }));
  for (const { path } of named) await writeFile(path, '', { flag: 'wx' });
  const files = Object.fromEntries(named.map(({ file, path }) => [file, path])) as Record<
    keyof typeof FILES,
    string
  >;
  return { ...files, environment: Object.fromEntries(named.map(({ variable, path }) => [variable, path])) };
}

/** Like the runner's `EnvFileKeyValuePairs` on Linux: only `\n` ends a line. Throws CommandFileError in its words. */
export function parseKeyValueFile(text: string): Map<string, string> {
  const pairs = new Map<string, string>();
  const ended = text.endsWith('\n');
  const lines = text.replace(/^\ufeff/u, '').split('\n');
  if (ended) lines.pop();
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i] ?? '';
    if (line === '') continue;
    const equals = line.indexOf('=');
    const heredoc = line.indexOf('<<');
    if (equals >= 0 && (heredoc < 0 || equals < heredoc)) {
      pairs.set(line.slice(0, equals), line.slice(equals + 1));
      continue;
    }
    if (heredoc < 0) throw new CommandFileError(`Invalid format '${line}'`);
    const name = line.slice(0, heredoc);
    const delimiter = line.slice(heredoc + 2);
    if (name === '' || delimiter === '') {
      throw new CommandFileError(
        `Invalid format '${line}'. Name must not be empty and delimiter must not be empty`,
      );
    }
    const value: string[] = [];
    for (i += 1; lines[i] !== delimiter; i += 1) {
      const part = lines[i];
      if (part === undefined) {
        throw new CommandFileError(`Invalid value. Matching delimiter not found '${delimiter}'`);
      }
      if (i === lines.length - 1 && !ended) {
        throw new CommandFileError('Invalid value. EOF marker missing new line.');
      }
      value.push(part);
    }
    pairs.set(name, value.join('\n'));
  }
  return pairs;
}

/** The summary as GitHub keeps it: masked line by line; undefined if it is over 1 MiB and so dropped. */
export async function readSummary(path: string, masker: SecretMasker): Promise<string | undefined> {
  const text = await readIfPresent(path);
  if (Buffer.byteLength(text) > SUMMARY_LIMIT_BYTES) return undefined;
  const lines = text.split(/\r\n|\r|\n/u);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${masker.mask(line)}\n`).join('');
}

/** A file's text; empty if the step removed it. */
export async function readIfPresent(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
