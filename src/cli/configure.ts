import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stringify } from 'yaml';
import { CONFIG_FILE_NAME } from '../base/config/config-file.ts';
import { splitList } from '../base/config/key-definition.ts';
import { boolean, secret } from '../base/config/kinds.ts';
import { loadConfig, readValue } from '../base/config/load.ts';
import type { ConfigProblem } from '../base/config/problem.ts';
import { definitionOf, KEY_NAMES, type KeyName } from '../base/config/schema.ts';
import { messageOf, OutcomeError } from '../base/outcome.ts';
import type { CommandSources } from './command-line.ts';
import { isTerminal, Questions } from './questions.ts';

/**
 * Writes `run`'s configuration file. Returns the exit code. Throws OutcomeError `config-error` or
 * `interrupted`.
 */
export async function configure(sources: CommandSources<'configure'>): Promise<number> {
  const { command, process, workingDirectory, ...places } = sources;
  const { stdin, stdout } = process;
  const output = resolve(workingDirectory, command.output ?? CONFIG_FILE_NAME);

  // Before asking anything.
  if (!command.force && existsSync(output)) throw present(output);

  const answers = { ...command.settings, ...(await tokenFrom(command.tokenFile, workingDirectory, stdin)) };
  const settings = isTerminal(process) ? await ask(answers, process, workingDirectory) : answers;
  const yaml = configurationText(settings, workingDirectory);

  const signsIn = settings['token'] !== undefined || settings['oidc_token_file'] !== undefined;
  const loaded = loadConfig({
    ...places,
    ...(signsIn ? {} : { purpose: 'offline' as const, extraProblems: [NO_SIGN_IN] }),
    // Only what the file says counts.
    environment: {},
    workingDirectory,
    file: output,
    readFile: () => yaml,
  });

  await write(output, yaml, command.force);
  for (const warning of loaded.warnings) stdout.write(`${warning}\n`);
  stdout.write(`Wrote ${output}. Check it: pulumi-runner-agent doctor --config ${output}\n`);

  return 0;
}

async function tokenFrom(
  file: string | undefined,
  workingDirectory: string,
  stdin: Readable,
): Promise<Answers> {
  if (file === undefined) return {};

  try {
    const token = (
      file === '-' ? await text(stdin) : await readFile(resolve(workingDirectory, file), 'utf8')
    ).trim();
    if (token === '') throw new Error(`${file} is empty`);
    return { token };
  } catch (cause) {
    const message = `Failed to read the token for the agent: ${messageOf(cause)}. Correct --token-file.`;
    throw new OutcomeError('config-error', message, { code: 'PRA-CONFIG-03', cause });
  }
}

/** Writes the file whole or not at all, readable by this user alone, as it may hold a token. */
async function write(file: string, content: string, force: boolean): Promise<void> {
  const part = force ? `${file}.${randomBytes(4).toString('hex')}` : file;
  try {
    await writeFile(part, content, { mode: 0o600, flag: 'wx', flush: true });
    if (force) await rename(part, file);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') throw present(file);
    // If it could not be created, it can't be removed either.
    await rm(part, { force: true }).catch(() => undefined);
    throw unwritten(`${messageOf(cause)}. Choose another place with --output`, cause);
  }
}

function present(file: string): OutcomeError {
  return unwritten(`${file} exists. Replace it with --force, or choose another with --output`);
}

function unfinished(): OutcomeError {
  const message = 'Failed to write the configuration: it was not finished. Nothing was written; start again.';
  return new OutcomeError('interrupted', message, { code: 'PRA-CONFIG-09' });
}

function unwritten(reason: string, cause?: unknown): OutcomeError {
  const message = `Failed to write the configuration for the agent: ${reason}.`;
  return new OutcomeError('config-error', message, { code: 'PRA-CONFIG-09', cause });
}

/**
 * The text of a configuration file with these settings, in the order of the table of keys, without
 * unknown keys.
 */
export function configurationText(
  settings: Readonly<Record<string, string>>,
  workingDirectory: string,
): string {
  const keys = KEY_NAMES.filter((key) => settings[key] !== undefined);
  const values = keys.map((key) => [key, valueFor(key, settings[key] ?? '', workingDirectory)]);
  return `# Configuration of a Pulumi workflow agent, written by pulumi-runner-agent configure.
# pulumi-runner-agent help settings lists every key, by subject.
${stringify(Object.fromEntries(values), { lineWidth: 0 })}`;
}

/** A setting as written to the file: the loader reads the same from it as from `value`. */
function valueFor(key: KeyName, value: string, workingDirectory: string): unknown {
  const { kind } = definitionOf(key);
  if (kind.list) return splitList(value);
  // The file may be read from another working directory.
  if (kind.locate !== undefined && value !== '') return kind.locate(value, workingDirectory);
  if (kind === boolean && /^(true|false)$/.test(value)) return value === 'true';
  return /^(number|port)$/.test(kind.words) && /^(0|[1-9]\d{0,8})$/.test(value) ? Number(value) : value;
}

/** The loader's own message would say that the environment has no token, which isn't read here. */
const NO_SIGN_IN: ConfigProblem = {
  key: 'token',
  message:
    'no way to authenticate: give --token-file FILE, or --oidc-token-file with --organization-name and --runner-pool-id (the environment is not read: what it holds would get into the file)',
};

type Answers = Readonly<Record<string, string>>;

const OIDC_KEYS = ['oidc_token_file', 'organization_name', 'runner_pool_id'] as const;

/**
 * Asks for missing settings and returns all. Throws OutcomeError `interrupted` if the user quits
 * (Ctrl-C, Ctrl-D).
 */
async function ask(
  answers: Answers,
  process: CommandSources<'configure'>['process'],
  workingDirectory: string,
): Promise<Answers> {
  const has = (key: KeyName) => answers[key] !== undefined;
  if (has('token') || OIDC_KEYS.every(has)) return answers;

  using questions = new Questions(process, unfinished);
  const settings: Record<string, string> = { ...answers };

  const fill = async (key: KeyName, question: string, preset?: string) => {
    const { kind } = definitionOf(key);
    const problem = (text: string) => readValue(kind, text, workingDirectory).problems?.[0];
    settings[key] ??= await questions.text(question, problem, { preset, hidden: kind === secret });
  };

  const usesOidc = () =>
    questions.choice('How does the agent sign in?', [
      [true, 'with the ID token of a CI job (OIDC)'],
      [false, 'with a pool token'],
    ]);

  if (settings['token'] === undefined && (settings['oidc_token_file'] !== undefined || (await usesOidc()))) {
    await fill('organization_name', 'Pulumi organization');
    await fill('runner_pool_id', 'ID of the runner pool');
    await fill('oidc_token_file', 'File with the ID token, kept fresh by your CI');
  } else {
    await fill('token', 'Token of the runner pool (not shown)');
  }

  await fill('service_url', 'API of Pulumi Cloud', definitionOf('service_url').default);

  return settings;
}
