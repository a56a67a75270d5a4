import { parseArgs } from 'node:util';
import { definitionOf, fileKey, KEY_NAMES } from '../config/schema.ts';
import { OutcomeError } from '../outcome.ts';

/** What the command line asks for. */
export type Command =
  | {
      readonly name: 'run';
      readonly file?: string;
      /** By key; below the file. */
      readonly defaults: Readonly<Record<string, string>>;
      /** By key; above everything. */
      readonly overrides: Readonly<Record<string, string>>;
      readonly labels: Readonly<Record<string, string>>;
    }
  | { readonly name: 'sweep'; readonly runDirectory: string }
  | { readonly name: 'help' | 'version' };

const USAGE = `Usage: pulumi-runner-agent <command>

  run       serves workflows of a customer-managed pool
  sweep     removes what a killed agent left: --run-directory DIR names its run
  version   prints the version
  help      prints this text

Flags of run:
  --config FILE          reads FILE instead of searching for pulumi-workflow-agent.yaml
  --default KEY=VALUE    a default of the caller's own: the file and the environment rank above it
  --label KEY=VALUE      a label for every Docker object that is made
  --<key> VALUE          sets any key below, with dashes: --polling-interval 30s

`;

/** The text of `help`; `reference` lists the keys. */
export function usage(reference: string): string {
  return USAGE + reference;
}

/** Reads the command line. Throws OutcomeError `config-error`. */
export function parseCommand(argv: readonly string[]): Command {
  const [name = 'help', ...rest] = argv;
  switch (name) {
    case 'run':
      return parseRun(rest);
    case 'sweep':
      return parseSweep(rest);
    case 'version':
    case '--version':
    case '-v':
      return { name: 'version' };
    case 'help':
    case '--help':
    case '-h':
      return { name: 'help' };
    default:
      throw refused(`there is no command ${JSON.stringify(name)}`);
  }
}

function parseRun(argv: string[]): Command {
  if (argv.includes('--help') || argv.includes('-h')) return { name: 'help' };
  const keys = KEY_NAMES.filter((key) => fileKey(key) !== undefined);
  const flags = new Map(keys.map((key) => [key.replaceAll('_', '-'), key]));
  const { values } = parsed(argv, {
    config: { type: 'string' },
    default: { type: 'string', multiple: true },
    label: { type: 'string', multiple: true },
    ...Object.fromEntries(
      [...flags].map(([flag, key]) => [
        flag,
        { type: definitionOf(key).type === 'boolean' ? 'boolean' : 'string' } as const,
      ]),
    ),
  });
  const { config, default: defaults, label: labels, ...rest } = values;
  const overrides: Record<string, string> = {};
  for (const [flag, value] of Object.entries(rest)) overrides[flags.get(flag) ?? flag] = String(value);
  return {
    name: 'run',
    ...(typeof config === 'string' ? { file: config } : {}),
    defaults: pairs('--default', defaults),
    overrides,
    labels: pairs('--label', labels),
  };
}

function parseSweep(argv: string[]): Command {
  const directory = parsed(argv, { 'run-directory': { type: 'string' } }).values['run-directory'];
  if (typeof directory !== 'string') throw refused('sweep needs --run-directory DIR');
  return { name: 'sweep', runDirectory: directory };
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

function parsed(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowNegative: true, strict: true });
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

function refused(reason: string, cause?: unknown): OutcomeError {
  const message = `Failed to read the command line for pulumi-runner-agent: ${reason}. See pulumi-runner-agent help.`;
  return new OutcomeError('config-error', message, { cause });
}
