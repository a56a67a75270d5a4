import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stringify } from 'yaml';
import type { Surroundings } from '../agent/configuration.ts';
import { boolean, filePath, splitList } from '../config/kind.ts';
import { loadConfig } from '../config/load.ts';
import { definitionOf, KEY_NAMES } from '../config/schema.ts';
import { CONFIG_FILE_NAME } from '../config/search-path.ts';
import { messageOf, OutcomeError } from '../outcome.ts';
import type { Command } from './command-line.ts';
import { ask } from './questions.ts';

type ConfigureCommand = Extract<Command, { name: 'configure' }>;

export interface ConfigureSources extends Surroundings {
  readonly command: ConfigureCommand;
  /** Where questions are asked, when both ends are a terminal. */
  readonly process: {
    readonly stdin: Readable & { readonly isTTY?: boolean };
    readonly stdout: Writable & { readonly isTTY?: boolean };
  };
}

/**
 * `pulumi-runner-agent configure`: writes a configuration file that `run` takes. Returns the exit code.
 * Throws OutcomeError `config-error` for settings that can't be used, or a file that is there or can't be written, and
 * `interrupted` when the user leaves; nothing is written then.
 */
export async function configure({ command, process, workingDirectory, ...places }: ConfigureSources): Promise<number> {
  const { stdin, stdout } = process;
  const output = resolve(workingDirectory, command.output ?? CONFIG_FILE_NAME);
  // Before any question.
  if (!command.force && existsSync(output)) throw present(output);
  const given = { ...command.settings, ...(await tokenFrom(command.tokenFile, workingDirectory, stdin)) };
  let settings: Readonly<Record<string, string>> = given;
  if (stdin.isTTY === true && stdout.isTTY === true) {
    settings = await ask(given, { input: stdin, output: stdout, workingDirectory });
  }
  const yaml = configurationText(settings, workingDirectory);
  const loaded = loadConfig({
    ...places,
    // What counts is what the file says.
    environment: {},
    workingDirectory,
    homeDirectory: '',
    file: output,
    readFile: () => yaml,
  });
  await write(output, yaml, command.force);
  for (const warning of loaded.warnings) stdout.write(`${warning}\n`);
  stdout.write(`Wrote ${output}. See what a run makes of it: pulumi-runner-agent doctor --config ${output}\n`);
  return 0;
}

async function tokenFrom(
  file: string | undefined,
  workingDirectory: string,
  stdin: Readable,
): Promise<Record<string, string>> {
  if (file === undefined) return {};
  let token: string;
  try {
    token = (file === '-' ? await text(stdin) : await readFile(resolve(workingDirectory, file), 'utf8')).trim();
  } catch (cause) {
    throw unreadable(messageOf(cause), cause);
  }
  if (token === '') throw unreadable(`${file} is empty`);
  return { token };
}

/** Whole or not at all, readable by this user alone: it may hold a token. */
async function write(file: string, content: string, force: boolean): Promise<void> {
  const target = force ? `${file}.${randomBytes(4).toString('hex')}` : file;
  let made = false;
  try {
    {
      await using handle = await open(target, 'wx', 0o600);
      made = true;
      await handle.writeFile(content);
      await handle.sync();
    }
    if (force) await rename(target, file);
  } catch (cause) {
    if (made) await rm(target, { force: true });
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') throw present(file);
    throw unwritten(`${messageOf(cause)}. Choose another place by --output`, cause);
  }
}

function present(file: string): OutcomeError {
  return unwritten(`${file} exists. Replace it by --force, or choose another by --output`);
}

function unwritten(reason: string, cause?: unknown): OutcomeError {
  const message = `Failed to write the configuration for the agent: ${reason}.`;
  return new OutcomeError('config-error', message, { code: 'PRA-CONFIG-09', cause });
}

function unreadable(reason: string, cause?: unknown): OutcomeError {
  const message = `Failed to read the token for the agent: ${reason}. Correct --token-file.`;
  return new OutcomeError('config-error', message, { code: 'PRA-CONFIG-03', cause });
}

/** The text of a configuration file with these settings, by key, in the order of the table of keys. Unknown keys are left out. */
export function configurationText(settings: Readonly<Record<string, string>>, workingDirectory: string): string {
  const keys = KEY_NAMES.filter((key) => settings[key] !== undefined);
  const values = keys.map((key) => [key, valueFor(key, settings[key] ?? '', workingDirectory)]);
  return `# Configuration of a Pulumi workflow agent, written by pulumi-runner-agent configure.
# pulumi-runner-agent run --help lists every key.
${stringify(Object.fromEntries(values), { lineWidth: 0 })}`;
}

/** A setting as the file should say it: the loader reads the same from it as from `text`. */
function valueFor(key: (typeof KEY_NAMES)[number], value: string, workingDirectory: string): unknown {
  const { kind } = definitionOf(key);
  if (kind.list) return splitList(value);
  // The file may be read from another folder than this.
  if (kind === filePath) return value === '' ? value : resolve(workingDirectory, value);
  if (kind === boolean && /^(true|false)$/.test(value)) return value === 'true';
  return /^(number|port)$/.test(kind.words) && /^(0|[1-9]\d{0,8})$/.test(value) ? Number(value) : value;
}
