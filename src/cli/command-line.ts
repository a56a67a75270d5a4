import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import type { AgentFlags, FileFlags } from '../agent/configuration.ts';
import type { ProcessContext } from '../base/config/config-file.ts';
import { parsePositiveDuration } from '../base/config/duration.ts';
import { boolean } from '../base/config/kinds.ts';
import { nearest } from '../base/config/problem.ts';
import { definitionOf, environmentNames, isKey, KEY_NAMES, type KeyName } from '../base/config/schema.ts';
import { defined } from '../base/defined.ts';
import { clause, messageOf, OutcomeError } from '../base/outcome.ts';
import { COMMAND_NAMES, type CommandName, isCommand } from './command-help.ts';
import { settingsHelp } from './settings-help.ts';
import { usage } from './usage.ts';

/** The parsed command line. Settings and defaults are by key, labels by name. */
type Command = ReturnType<typeof parseCommand>;

/** The inputs of a command: its command line, its process, and the context that it runs in. */
export interface CommandSources<N extends CommandName> extends ProcessContext {
  readonly command: Extract<Command, { readonly name: N }>;
  /** Emits signals; the command prints to its stdout. */
  readonly process: EventEmitter & {
    readonly stdin: Readable & { readonly isTTY?: boolean };
    readonly stdout: Writable & { readonly isTTY?: boolean };
    readonly stderr: Writable;
  };

  /** Ends the process, even if work is still running. */
  readonly exit: (code: number) => void;
}

const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
  ['-v', 'version'],
]);

const ON_NO_WORK = ['succeed', 'warn', 'fail'] as const;

const TEXT = { type: 'string' } as const;
const SEVERAL = { type: 'string', multiple: true } as const;
const SWITCH = { type: 'boolean' } as const;

/** With `--no-search` no file is searched for. */
const FILE_OPTIONS = { config: TEXT, search: SWITCH };

/** Reads the command line. Throws OutcomeError `config-error`. */
export function parseCommand(argv: readonly string[]) {
  const [first = 'help', ...rest] = argv;
  const called = SYNONYMS.get(first) ?? first;

  try {
    return parsedCommand(commandNamed(called), rest);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const help = isCommand(called) && called !== 'help' ? `${called} --help` : 'help';
    const message = `Failed to read the command line for pulumi-runner-agent: ${clause(error.message)}. See pulumi-runner-agent ${help}.`;
    throw new OutcomeError('config-error', message, { code: 'PRA-CONFIG-02', cause: error });
  }
}

function parsedCommand(name: CommandName, rest: string[]) {
  if (rest.includes('--help') || rest.includes('-h')) return help(usage(name));

  switch (name) {
    case 'run': {
      const switches = { 'drain-on-stdin-end': SWITCH, 'interrupt-on-sigterm': SWITCH };
      const { own, flags } = parsed(rest, { ...switches, 'export-trace': SWITCH, 'stack-outputs': TEXT });
      const { 'stack-outputs': stackOutputs } = own;
      return {
        name,
        drainOnStdinEnd: own['drain-on-stdin-end'] === true,
        ...(own['interrupt-on-sigterm'] === true && { interruptedBySigterm: true as const }),
        ...(own['export-trace'] === false && { exportTrace: false as const }),
        ...(typeof stackOutputs === 'string' && { stackOutputs }),
        ...flags,
      };
    }
    case 'ci':
      return parseCi(rest);
    case 'finish':
      raw(rest, {});
      return { name };
    case 'plan':
      return { name, ...parsed(rest, {}).flags };
    case 'trigger': {
      const { own, flags, positionals } = parsed(rest, { json: SWITCH }, true);
      const stacks = positionals.length === 0 ? {} : { trigger: positionals.join(' ') };
      return { name, json: own['json'] === true, ...flags, overrides: { ...flags.overrides, ...stacks } };
    }
    case 'doctor': {
      const { own, flags } = parsed(rest, { json: SWITCH });
      return { name, json: own['json'] === true, ...flags };
    }
    case 'set-up':
      return parseSetUp(rest);
    case 'configure':
      return parseConfigure(rest);
    case 'debug':
      return parseDebug(rest);
    case 'engine': {
      const { flags, positionals } = parsed(rest, {}, true);
      if (positionals.join(' ') !== 'install') throw refused('engine needs install');
      return { name, ...flags };
    }
    case 'sweep': {
      const { values } = raw(rest, { 'run-directory': TEXT, grace: TEXT, ...FILE_OPTIONS });
      const { 'run-directory': runDirectory, grace } = values;
      if (typeof runDirectory !== 'string') throw refused('sweep needs --run-directory DIR');

      return {
        name,
        runDirectory,
        ...fileFlags(values),
        ...(typeof grace === 'string' && { graceMs: duration('--grace', grace) }),
      };
    }
    case 'trace': {
      const { values, positionals } = raw(rest, { send: SWITCH }, true);
      const [runDirectory, ...more] = positionals;
      if (runDirectory === undefined || more.length > 0) throw refused('trace needs one RUN_DIRECTORY');
      return { name, runDirectory, send: values['send'] === true };
    }
    case 'verify': {
      const [directory, ...more] = raw(rest, {}, true).positionals;
      if (directory === undefined || more.length > 0) throw refused('verify needs RUN_DIRECTORY');
      return { name, directory };
    }
    case 'wire': {
      const [what, file, ...more] = raw(rest, {}, true).positionals;
      if (what !== 'compare' || file === undefined || more.length > 0)
        throw refused('wire needs compare FILE');
      return { name, file };
    }
    case 'version':
      return { name };
    case 'help':
      return helpOn(rest);
  }
}

function help(text: string) {
  return { name: 'help', text } as const;
}

function helpOn([topic, setting]: readonly string[]) {
  if (topic === undefined) return help(usage());
  if (topic !== 'settings') return help(usage(commandNamed(topic)));

  try {
    return help(settingsHelp(setting));
  } catch (cause) {
    throw refused(messageOf(cause), cause);
  }
}

function commandNamed(name: string): CommandName {
  if (isCommand(name)) return name;
  throw refused(`there is no command ${JSON.stringify(name)}${suggested(nearest(name, COMMAND_NAMES))}`);
}

function parseCi(args: string[]) {
  const { own, flags } = parsed(args, {
    'identity-token-env': TEXT,
    'identity-token-command': TEXT,
    'on-no-work': TEXT,
    'cancel-window': TEXT,
    doctor: SWITCH,
  });
  const [onNoWork = 'succeed', window] = [textOf(own['on-no-work']), textOf(own['cancel-window'])];
  const choice = ON_NO_WORK.find((each) => each === onNoWork);

  if (choice === undefined)
    throw refused(`--on-no-work needs one of ${ON_NO_WORK.join(', ')}, not ${JSON.stringify(onNoWork)}`);

  return {
    name: 'ci' as const,
    ...flags,
    identity: defined({
      variable: textOf(own['identity-token-env']),
      command: textOf(own['identity-token-command']),
    }),
    onNoWork: choice,
    doctor: own['doctor'] === true,
    ...(window !== undefined && { cancelWindowMs: duration('--cancel-window', window) }),
  };
}

function parseSetUp(args: string[]) {
  const texts = { ci: TEXT, cloud: TEXT, repository: TEXT, branch: TEXT, environment: TEXT };
  const { own, flags } = parsed(args, {
    ...texts,
    action: TEXT,
    package: TEXT,
    output: TEXT,
    stack: SEVERAL,
    apply: SWITCH,
  });
  const stacks = own['stack'];

  return {
    name: 'set-up' as const,
    ...flags,
    // A file of the checkout must not say where the access token is sent.
    search: false as const,
    output: textOf(own['output']),
    apply: typeof own['apply'] === 'boolean' ? own['apply'] : undefined,
    answers: {
      stacks: Array.isArray(stacks) ? stacks.map(String) : [],
      ci: textOf(own['ci']),
      cloud: textOf(own['cloud']),
      repository: textOf(own['repository']),
      branch: textOf(own['branch']),
      environment: textOf(own['environment']),
      action: textOf(own['action']),
      agentPackage: textOf(own['package']),
    },
  };
}

function parseConfigure(args: string[]) {
  const { values } = raw(args, { ...keyFlags(), output: TEXT, force: SWITCH, 'token-file': TEXT });
  const [output, tokenFile] = [textOf(values['output']), textOf(values['token-file'])];
  const settings = settingsOf(values);

  return {
    name: 'configure' as const,
    force: values['force'] === true,
    ...defined({ output, tokenFile }),
    settings,
  };
}

function parseDebug(args: string[]) {
  const { own, flags, positionals } = parsed(args, { to: TEXT }, true);
  const [what, job, ...more] = positionals;
  if (what !== 'workflow-runner' || job === undefined || more.length > 0)
    throw refused('debug needs workflow-runner and one file with a job definition, or - for standard input');

  const last = textOf(own['to']);
  if (last !== undefined && !/^[1-9]\d{0,3}$/.test(last))
    throw refused(`--to needs a step number from 1, not ${JSON.stringify(last)}`);

  const to = last === undefined ? undefined : Number(last);
  return { name: 'debug' as const, job, ...defined({ to }), ...flags };
}

function duration(flag: string, text: string): number {
  try {
    return parsePositiveDuration(text, { allowZero: true });
  } catch (cause) {
    throw refused(`${flag} needs a duration: ${messageOf(cause)}`, cause);
  }
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

function keyFlags(): Options {
  const typeOf = (key: KeyName) => (definitionOf(key).kind === boolean ? SWITCH : TEXT);
  return Object.fromEntries(KEY_NAMES.map((key) => [key.replaceAll('_', '-'), typeOf(key)]));
}

/** Parses the flags of the agent's configuration, and a command's own. */
function parsed(args: string[], options: Options, allowPositionals = false) {
  const sources = { ...FILE_OPTIONS, default: SEVERAL, label: SEVERAL };
  const { values: own, positionals } = raw(args, { ...keyFlags(), ...sources, ...options }, allowPositionals);

  const flags: AgentFlags = {
    ...fileFlags(own),
    defaults: defaultsOf(own['default']),
    overrides: settingsOf(own),
    labels: pairs('--label', own['label']),
  };

  return { own, flags, positionals };
}

function raw(args: string[], options: Options, allowPositionals = false) {
  try {
    return parseArgs({ args, options, allowNegative: true, allowPositionals, strict: true });
  } catch (cause) {
    throw refused(unknownFlag(cause, Object.keys(options)) ?? messageOf(cause), cause);
  }
}

/** Names the flag that isn't among `flags`, and the one that was probably meant. */
function unknownFlag(cause: unknown, flags: readonly string[]): string | undefined {
  if (!(cause instanceof Error && 'code' in cause && cause.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'))
    return undefined;

  const [, flag = ''] = /'(-[^'\s=]*)/.exec(cause.message) ?? [];
  const [, no = '', name = ''] = /^--?(no-)?(.*)$/.exec(flag) ?? [];
  // An input of the action can have a shorter name: --organization for --organization-name.
  const longer = flags.filter((each) => name.length > 3 && `-${each}-`.includes(`-${name}-`));
  const near = nearest(name, flags) ?? longer.toSorted((a, b) => a.length - b.length)[0];
  return `there is no flag ${flag}${suggested(near && `--${no}${near}`)}`;
}

function suggested(near: string | undefined): string {
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

function fileFlags(values: Readonly<Record<string, unknown>>): FileFlags {
  return {
    ...defined({ file: textOf(values['config']) }),
    ...(values['search'] === false && { search: false }),
  };
}

/** The settings among the flags, by key. */
function settingsOf(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const settings = Object.entries(values).map(
    ([flag, value]) => [flag.replaceAll('-', '_'), String(value)] as const,
  );
  return offCommandLine(Object.fromEntries(settings.filter(([name]) => isKey(name))));
}

/** The settings that `--default` names, as the file or as the command line spells them. */
function defaultsOf(values: unknown): Record<string, string> {
  const settings = Object.fromEntries(
    Object.entries(pairs('--default', values)).map(([name, value]) => [name.replaceAll('-', '_'), value]),
  );
  const unknown = Object.keys(settings).find((name) => !isKey(name));
  if (unknown !== undefined)
    throw refused(`there is no setting ${unknown} for --default${suggested(nearest(unknown, KEY_NAMES))}`);
  return offCommandLine(settings);
}

/**
 * These settings, unless one must not stand on a command line; the error does not show its value.
 */
function offCommandLine(settings: Record<string, string>): Record<string, string> {
  const key = KEY_NAMES.find((name) => name in settings && definitionOf(name).noFlag);
  if (key === undefined) return settings;
  const [variable] = environmentNames(key);
  throw refused(
    `${key} can hold secrets, and every user can read a command line: set ${variable}, or ${key} in the file`,
  );
}

function pairs(flag: string, values: unknown): Record<string, string> {
  const list = Array.isArray(values) ? values.map(String) : [];
  return Object.fromEntries(
    list.map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) throw refused(`${flag} needs KEY=VALUE, not ${JSON.stringify(pair)}`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The reason why a command line can't be read, as a clause. */
class UsageError extends Error {}

function refused(reason: string, cause?: unknown): UsageError {
  return new UsageError(reason, { cause });
}
