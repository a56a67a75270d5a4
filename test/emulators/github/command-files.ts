import { randomUUID } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretMasker } from './secret-masker.ts';

/** The content of a command file that the runner would refuse, which fails the step. */
export class CommandFileError extends Error {
  override readonly name = 'CommandFileError';
}

/** The five files one phase of a step writes to, and the variables that name them. */
export interface CommandFiles {
  readonly environment: Readonly<Record<string, string>>;
  readonly output: string;
  readonly state: string;
  readonly env: string;
  readonly path: string;
  readonly summary: string;
}

/** GitHub drops a larger summary whole (actions/runner, `CreateStepSummaryCommand.AttachmentSizeLimit`). */
export const SUMMARY_LIMIT_BYTES = 1024 * 1024;

/** Makes empty command files under `<temp>/_runner_file_commands`, named as the runner names them. */
export async function createCommandFiles(tempDirectory: string): Promise<CommandFiles> {
  const directory = join(tempDirectory, '_runner_file_commands');
  await mkdir(directory, { recursive: true });
  const suffix = randomUUID();
  const create = async (prefix: string): Promise<string> => {
    const path = join(directory, `${prefix}_${suffix}`);
    await writeFile(path, '', { flag: 'wx' });
    return path;
  };
  const output = await create('set_output');
  const state = await create('save_state');
  const env = await create('set_env');
  const path = await create('add_path');
  const summary = await create('step_summary');
  const environment = {
    GITHUB_OUTPUT: output,
    GITHUB_STATE: state,
    GITHUB_ENV: env,
    GITHUB_PATH: path,
    GITHUB_STEP_SUMMARY: summary,
  };
  return { environment, output, state, env, path, summary };
}

/**
 * Reads `name=value` and `name<<delimiter` entries as `EnvFileKeyValuePairs` of actions/runner does on Linux, where only
 * `\n` ends a line.
 * @throws {CommandFileError} with the runner's own sentence
 */
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
      throw new CommandFileError(`Invalid format '${line}'. Name must not be empty and delimiter must not be empty`);
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

/** The entries of a command file; none when the step removed the file. @throws {CommandFileError} */
export async function readKeyValueFile(path: string): Promise<Map<string, string>> {
  return parseKeyValueFile(await readIfPresent(path));
}

/** The directories of a `GITHUB_PATH` file, in the order they were written. */
export async function readPathFile(path: string): Promise<string[]> {
  return (await readIfPresent(path)).split(/\r\n|\r|\n/u).filter((line) => line !== '');
}

export type StepSummary =
  | { readonly kind: 'none' }
  | { readonly kind: 'kept'; readonly text: string }
  | { readonly kind: 'dropped'; readonly bytes: number };

/** The summary as GitHub keeps it: masked line by line, or dropped whole when it is over 1 MiB. */
export async function readSummary(path: string, masker: SecretMasker): Promise<StepSummary> {
  const bytes = await stat(path).then(
    (file) => file.size,
    (error: unknown) => (isMissing(error) ? 0 : Promise.reject(error)),
  );
  if (bytes === 0) return { kind: 'none' };
  if (bytes > SUMMARY_LIMIT_BYTES) return { kind: 'dropped', bytes };
  const lines = (await readFile(path, 'utf8')).split(/\r\n|\r|\n/u);
  if (lines.at(-1) === '') lines.pop();
  return { kind: 'kept', text: lines.map((line) => `${masker.mask(line)}\n`).join('') };
}

async function readIfPresent(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
