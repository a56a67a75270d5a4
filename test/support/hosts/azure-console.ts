/*
 * The agent's reader of a step's output, after microsoft/azure-pipelines-agent: Command.cs (with the escapes of its
 * CommandStringConvertor.cs, where `%AZP25` is a percent sign). Lines end as .NET's StreamReader.ReadLine ends them. The search
 * for the prefix is culture-sensitive: characters that ICU ignores do not count.
 */

export interface AzureCommand {
  /** `task.setvariable`. */
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

export interface AzureConsole {
  readonly commands: readonly AzureCommand[];
  /** The lines that are no commands; those of formats, such as `##[group]`, included. */
  readonly lines: readonly string[];
}

const PREFIX = '##vso[';
/** Of the same ICU as .NET's. */
const collator = new Intl.Collator('en');
const ESCAPES = [
  ['%3B', ';'],
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%5D', ']'],
  ['%AZP25', '%'],
] as const;

export function readAzureConsole(text: string): AzureConsole {
  const lines = text.split(/\r\n|\r|\n/);
  const read = lines.map((line) => ({ line, command: parse(line) }));
  return {
    commands: read.flatMap(({ command }) => (command === undefined ? [] : [command])),
    lines: read.flatMap(({ line, command }) => (command === undefined ? [line] : [])),
  };
}

function parse(line: string): AzureCommand | undefined {
  const message = line.includes(PREFIX) ? line : compared(line);
  const prefix = message.indexOf(PREFIX);
  const end = message.indexOf(']', prefix);
  if (prefix < 0 || end < 0) return undefined;
  const [, name = '', list = ''] =
    /^([^ ]*)(?: (.*))?$/s.exec(message.slice(prefix + PREFIX.length, end)) ?? [];
  if (name.split('.').filter((part) => part !== '').length !== 2) return undefined;
  const pairs = list
    .split(';')
    .map((pair) => /^([^=]+)=(.+)$/s.exec(pair))
    .filter((pair) => pair !== null)
    .map(([, key = '', value = '']) => [key, unescaped(value)] as const);
  return { name, properties: Object.fromEntries(pairs), data: unescaped(message.slice(end + 1)) };
}

/**
 * The page's formats in a line, such as `group`: they count where the line begins, or anywhere to be strict. So does `##vso`, of
 * which the agent warns with the whole line where it is no command (WorkerCommandManager.cs).
 */
export function formatsOf(line: string): string[] {
  return [...compared(line).matchAll(/##(?:\[(\w*)|vso)/gi)].map(([, name = 'vso']) => name);
}

/** The characters of a line that count in a culture-sensitive comparison. */
function compared(line: string): string {
  return [...line].filter((character) => collator.compare(`#${character}#`, '##') !== 0).join('');
}

function unescaped(text: string): string {
  return ESCAPES.reduce((done, [from, to]) => done.replaceAll(from, to), text);
}
