import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
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
const SUMMARY_LIMIT_BYTES = 1024 * 1024;

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
  const files = {
    output: await create('set_output'),
    state: await create('save_state'),
    env: await create('set_env'),
    path: await create('add_path'),
    summary: await create('step_summary'),
  };
  const environment = {
    GITHUB_OUTPUT: files.output,
    GITHUB_STATE: files.state,
    GITHUB_ENV: files.env,
    GITHUB_PATH: files.path,
    GITHUB_STEP_SUMMARY: files.summary,
  };
  return { ...files, environment };
}

/** Reads a command file as `EnvFileKeyValuePairs` of actions/runner does on Linux: only `\n` ends a line. Throws CommandFileError in its words. */
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

/** The summary as GitHub keeps it: masked line by line, or undefined where it is over 1 MiB and dropped whole. */
export async function readSummary(path: string, masker: SecretMasker): Promise<string | undefined> {
  const text = await readIfPresent(path);
  if (Buffer.byteLength(text) > SUMMARY_LIMIT_BYTES) return undefined;
  const lines = text.split(/\r\n|\r|\n/u);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${masker.mask(line)}\n`).join('');
}

async function readIfPresent(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
