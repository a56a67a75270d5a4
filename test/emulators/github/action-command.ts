/** A workflow command as GitHub's runner reads it from one console line. */
export interface ActionCommand {
  /** The name as written; comparisons ignore case. */
  readonly command: string;
  /** Unescaped values by name; if names differ only in case, the first spelling and the last value win. */
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

/** Tokens and their escaped forms. */
type Escapes = readonly (readonly [token: string, escaped: string])[];

/** A syntax for commands: what separates properties, and what is escaped in them and in the message. */
interface Form {
  readonly separator: string;
  readonly property: Escapes;
  readonly message: Escapes;
}

const LINE_ENDS: Escapes = [
  ['\r', '%0D'],
  ['\n', '%0A'],
];
// The order matters: "%25" is undone last, so "%250A" becomes "%0A" and not a line feed.
const PERCENT: Escapes = [['%', '%25']];
const V2: Form = {
  separator: ',',
  property: [...LINE_ENDS, [':', '%3A'], [',', '%2C'], ...PERCENT],
  message: [...LINE_ENDS, ...PERCENT],
};
const V1_ESCAPES: Escapes = [[';', '%3B'], ...LINE_ENDS, [']', '%5D'], ...PERCENT];
const V1: Form = { separator: ';', property: V1_ESCAPES, message: V1_ESCAPES };

/** What .NET's `String.TrimStart()` removes: unlike JavaScript's, it includes U+0085 and leaves U+FEFF. */
const LEADING_SPACE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u;
/** .NET's `Trim()` at both ends. */
const OUTER_SPACE = new RegExp(`${LEADING_SPACE.source}|${LEADING_SPACE.source.slice(1)}$`, 'gu');

const IGNORED_BY_ICU =
  '[\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u0084\\u0086-\\u009f\\p{Default_Ignorable_Code_Point}]';

/** The second `::`; .NET's `IndexOf` with ICU ignores default-ignorable and control characters in it: `:<U+200B>:`. */
const SEPARATOR = new RegExp(`:${IGNORED_BY_ICU}*:`, 'u');

/**
 * Reads a console line as a workflow command, as `TryParseV2` and `TryParse` of actions/runner do:
 * `::name k=v,k=v::message` at its start, or `##[name k=v;k=v]message` anywhere. Undefined unless `isRegistered`.
 */
export function parseActionCommand(
  line: string,
  isRegistered: (name: string) => boolean,
): ActionCommand | undefined {
  return parseV2(line, isRegistered) ?? parseV1(line, isRegistered);
}

function parseV2(line: string, isRegistered: (name: string) => boolean): ActionCommand | undefined {
  const message = line.replace(LEADING_SPACE, '');
  if (!message.startsWith('::')) return undefined;
  const rest = message.slice(2);
  const end = rest.search(SEPARATOR);
  if (end < 0) return undefined;
  const [name, properties] = splitInfo(rest.slice(0, end));
  // Two characters, whatever is between the colons: the runner skips the length of a plain `::`.
  return isRegistered(name)
    ? read(name, properties.replace(OUTER_SPACE, ''), rest.slice(end + 2), V2)
    : undefined;
}

function parseV1(line: string, isRegistered: (name: string) => boolean): ActionCommand | undefined {
  // Only a line's first "##[" counts.
  const prefix = line.indexOf('##[');
  const bracket = line.indexOf(']', prefix);
  if (prefix < 0 || bracket < 0) return undefined;
  const [name, properties] = splitInfo(line.slice(prefix + 3, bracket));
  return isRegistered(name) ? read(name, properties, line.slice(bracket + 1), V1) : undefined;
}

function splitInfo(info: string): [name: string, properties: string] {
  const space = info.indexOf(' ');
  return space < 0 ? [info, ''] : [info.slice(0, space), info.slice(space + 1)];
}

function read(command: string, properties: string, message: string, form: Form): ActionCommand {
  return {
    command,
    properties: readProperties(properties, form),
    message: undoEscapes(message, form.message),
  };
}

function readProperties(text: string, { separator, property }: Form): Record<string, string> {
  const values = new Map<string, { name: string; value: string }>();
  for (const part of text.split(separator)) {
    // .NET's Split with a count of 2 and RemoveEmptyEntries skips runs of "=" and drops a pair without a value.
    const pair = /^=*([^=]+)=+(.+)$/su.exec(part);
    if (pair?.[1] === undefined || pair[2] === undefined) continue;
    const key = pair[1].toLowerCase();
    values.set(key, { name: values.get(key)?.name ?? pair[1], value: undoEscapes(pair[2], property) });
  }
  return Object.fromEntries([...values.values()].map(({ name, value }) => [name, value]));
}

function undoEscapes(text: string, escapes: Escapes): string {
  let plain = text;
  for (const [token, escaped] of escapes) plain = plain.replaceAll(escaped, token);
  return plain;
}

/** Finds a property by name, ignoring case like the runner's dictionary. */
export function propertyOf(command: ActionCommand, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return Object.entries(command.properties).find(([key]) => key.toLowerCase() === wanted)?.[1];
}
