import { parseArgs } from 'node:util';
import { parsePositiveDuration } from '../config/duration.ts';
import { boolean } from '../config/kind.ts';
import { nearest } from '../config/problem.ts';
import { definitionOf, KEY_NAMES } from '../config/schema.ts';
import { clause, messageOf, OutcomeError } from '../outcome.ts';
import { COMMANDS, type CommandName, isCommand } from './usage.ts';

/** The flags that say how the agent is configured. */
export interface AgentFlags {
  readonly file?: string;
  /** By key; below the file. */
  readonly defaults: Readonly<Record<string, string>>;
  /** By key; above everything. */
  readonly overrides: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/** What the command line asks for. */
export type Command =
  | (AgentFlags & { readonly name: 'run'; readonly drainOnStdinEnd?: boolean })
  | (AgentFlags & { readonly name: 'trigger'; readonly json: boolean })
  | (AgentFlags & { readonly name: 'plan' })
  | (AgentFlags & { readonly name: 'doctor'; readonly json: boolean; readonly pull?: string })
  | {
      readonly name: 'configure';
      readonly output?: string;
      readonly force: boolean;
      readonly tokenFile?: string;
      /** By key. */
      readonly settings: Readonly<Record<string, string>>;
    }
  | (AgentFlags & { readonly name: 'debug'; readonly job: string; readonly from?: number; readonly to?: number })
  | { readonly name: 'sweep'; readonly runDirectory: string; readonly graceMs?: number }
  | { readonly name: 'help'; readonly of?: CommandName }
  | { readonly name: 'version' };

const DEBUGGED = 'workflow-runner';

/** Reads the command line. Throws OutcomeError `config-error`. */
export function parseCommand(argv: readonly string[]): Command {
  const [first = 'help', ...rest] = argv;
  const name = SYNONYMS.get(first) ?? first;
  if (!isCommand(name)) throw refused(`there is no command ${JSON.stringify(first)}${suggestion(first)}`);
  if (rest.includes('--help') || rest.includes('-h')) return { name: 'help', of: name };
  switch (name) {
    case 'run':
      return parseRun(rest);
    case 'plan':
      return { name, ...agentFlags(parsed(rest, keyFlags()).values) };
    case 'trigger':
      return parseTrigger(rest);
    case 'doctor':
      return parseDoctor(rest);
    case 'configure':
      return parseConfigure(rest);
    case 'debug':
      return parseDebug(rest);
    case 'sweep':
      return parseSweep(rest);
    case 'version':
      return { name };
    case 'help':
      return parseHelp(rest);
  }
}

const SYNONYMS: ReadonlyMap<string, CommandName> = new Map([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
  ['-v', 'version'],
]);

function parseHelp([of]: readonly string[]): Command {
  if (of === undefined) return { name: 'help' };
  if (!isCommand(of)) throw refused(`there is no command ${JSON.stringify(of)}${suggestion(of)}`);
  return { name: 'help', of };
}

function parseRun(argv: string[]): Command {
  const { values } = parsed(argv, { ...keyFlags(), 'drain-on-stdin-end': { type: 'boolean' } });
  const { 'drain-on-stdin-end': drain, ...rest } = values;
  return { name: 'run', ...(drain === true ? { drainOnStdinEnd: true } : {}), ...agentFlags(rest) };
}

function parseTrigger(argv: string[]): Command {
  const { values, positionals } = parsed(argv, { ...keyFlags(), json: { type: 'boolean' } }, true);
  const { json, ...rest } = values;
  const flags = agentFlags(rest);
  const stacks = positionals.length === 0 ? {} : { trigger: positionals.join(' ') };
  return { name: 'trigger', json: json === true, ...flags, overrides: { ...flags.overrides, ...stacks } };
}

function parseDoctor(argv: string[]): Command {
  const { json, pull, ...values } = parsed(argv, {
    ...keyFlags(),
    json: { type: 'boolean' },
    pull: { type: 'string' },
  }).values;
  return {
    name: 'doctor',
    json: json === true,
    ...(typeof pull === 'string' ? { pull } : {}),
    ...agentFlags(values),
  };
}

function parseConfigure(argv: string[]): Command {
  const { config, default: _, label: __, ...keys } = keyFlags();
  const {
    output,
    force,
    'token-file': tokenFile,
    ...values
  } = parsed(argv, {
    ...keys,
    output: { type: 'string' },
    force: { type: 'boolean' },
    'token-file': { type: 'string' },
  }).values;
  return {
    name: 'configure',
    force: force === true,
    ...(typeof output === 'string' ? { output } : {}),
    ...(typeof tokenFile === 'string' ? { tokenFile } : {}),
    settings: agentFlags(values).overrides,
  };
}

function parseDebug(argv: string[]): Command {
  const steps = { from: { type: 'string' }, to: { type: 'string' } } as const;
  const { values, positionals } = parsed(argv, { ...keyFlags(), ...steps }, true);
  const [what, job, ...more] = positionals;
  if (what !== DEBUGGED) {
    throw refused(`debug wants ${DEBUGGED}${what === undefined ? '' : `, not ${JSON.stringify(what)}`}`);
  }
  if (job === undefined) throw refused(`debug ${DEBUGGED} wants a file with a job definition, or - for standard input`);
  if (more.length > 0) throw refused(`debug ${DEBUGGED} takes one file`);
  const { from, to, ...rest } = values;
  return { name: 'debug', job, ...step('from', from), ...step('to', to), ...agentFlags(rest) };
}

function step(flag: 'from' | 'to', text: unknown): { readonly [flag: string]: number } {
  if (typeof text !== 'string') return {};
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw refused(`--${flag} wants a step's number from 1, not ${JSON.stringify(text)}`);
  return { [flag]: Number(text) };
}

function parseSweep(argv: string[]): Command {
  const { values } = parsed(argv, { 'run-directory': { type: 'string' }, grace: { type: 'string' } });
  const { 'run-directory': runDirectory, grace } = values;
  if (typeof runDirectory !== 'string') throw refused('sweep needs --run-directory DIR');
  return { name: 'sweep', runDirectory, ...(typeof grace === 'string' ? { graceMs: duration('--grace', grace) } : {}) };
}

function duration(flag: string, text: string): number {
  try {
    return parsePositiveDuration(text, { allowZero: true });
  } catch (cause) {
    throw refused(`${flag} wants a duration: ${messageOf(cause)}`, cause);
  }
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

/** A flag for each key, and those that say where else to look. */
function keyFlags() {
  const flags = KEY_NAMES.map((key) => {
    const type = definitionOf(key).kind === boolean ? 'boolean' : 'string';
    return [key.replaceAll('_', '-'), { type }] as const;
  });
  return {
    config: { type: 'string' },
    default: { type: 'string', multiple: true },
    label: { type: 'string', multiple: true },
    ...Object.fromEntries(flags),
  } satisfies Options;
}

function agentFlags(values: Readonly<Record<string, unknown>>): AgentFlags {
  const { config, default: defaults, label: labels, ...rest } = values;
  const overrides: Record<string, string> = {};
  for (const [flag, value] of Object.entries(rest)) overrides[flag.replaceAll('-', '_')] = String(value);
  return {
    ...(typeof config === 'string' ? { file: config } : {}),
    defaults: pairs('--default', defaults),
    overrides,
    labels: pairs('--label', labels),
  };
}

function parsed(args: string[], options: Options, allowPositionals = false) {
  try {
    return parseArgs({ args, options, allowNegative: true, allowPositionals, strict: true });
  } catch (cause) {
    throw refused(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function pairs(flag: string, values: unknown): Record<string, string> {
  const list = Array.isArray(values) ? values.map(String) : [];
  return Object.fromEntries(
    list.map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) throw refused(`${flag} wants KEY=VALUE, not ${JSON.stringify(pair)}`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function suggestion(name: string): string {
  const near = nearest(name, Object.keys(COMMANDS));
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

function refused(reason: string, cause?: unknown): OutcomeError {
  const message = `Failed to read the command line for pulumi-runner-agent: ${clause(reason)}. See pulumi-runner-agent help.`;
  return new OutcomeError('config-error', message, { cause });
}
