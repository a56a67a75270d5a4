import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CONFIG_FILE_NAME } from '../../config/config-file.ts';
import { loadConfig } from '../../config/load.ts';
import { OutcomeError } from '../../outcome.ts';
import type { Command } from '../cli.ts';
import type { Surroundings } from '../configuration.ts';
import { configurationText } from './configuration-text.ts';
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
  // Before anybody is asked anything.
  if (!command.force && existsSync(output)) throw present(output);
  const given = { ...command.settings, ...(await tokenFrom(command.tokenFile, workingDirectory, stdin)) };
  let settings: Readonly<Record<string, string>> = given;
  if (stdin.isTTY === true && stdout.isTTY === true) {
    settings = await ask(given, { input: stdin, output: stdout, workingDirectory });
  }
  const yaml = configurationText(settings, workingDirectory);
  const loaded = await loadConfig({
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
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw refused('read the token', `${reason}. Correct --token-file`, cause);
  }
  if (token === '') throw refused('read the token', `${file} is empty. Correct --token-file`);
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
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw refused('write the configuration', `${reason}. Choose another place by --output`, cause);
  }
}

function present(file: string): OutcomeError {
  return refused('write the configuration', `${file} exists. Replace it by --force, or choose another by --output`);
}

function refused(what: string, reason: string, cause?: unknown): OutcomeError {
  return new OutcomeError('config-error', `Failed to ${what} for the agent: ${reason}.`, { cause });
}
