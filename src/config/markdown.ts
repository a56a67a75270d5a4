import { presetWords, valueWords } from './help.ts';
import { definitionOf, environmentNames, fileKey, isOfficial, KEY_NAMES, type KeyName } from './schema.ts';

/** The tables of docs/configuration.md, by the name of the markers they stand between. */
export function configTables(): Readonly<Record<string, string>> {
  const inFile = KEY_NAMES.filter((key) => fileKey(key) !== undefined);
  const others = KEY_NAMES.filter((key) => fileKey(key) === undefined);
  return {
    'official-keys': table(['Key', 'Variable', 'Type', 'Default', ''], inFile.filter(isOfficial).map(row)),
    'further-keys': table(
      ['Key', 'Variable', 'Type', 'Default', ''],
      inFile.filter((key) => !isOfficial(key)).map(row),
    ),
    'environment-only': table(
      ['Variable', ''],
      others.map((key) => [variables(key), sentence(definitionOf(key).noEffect ?? '')]),
    ),
  };
}

/** `text` with what stands between each table's markers replaced by the table. */
export function withTables(text: string): string {
  return Object.entries(configTables()).reduce((page, [name, rows]) => {
    const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
    const [before, rest] = halves(page, start);
    const [, after] = halves(rest, end);
    return `${before}${start}${rows}${end}${after}`;
  }, text);
}

function halves(text: string, marker: string): [string, string] {
  const at = text.indexOf(marker);
  if (at < 0) throw new Error(`there is no ${marker.trim()} in the text`);
  return [text.slice(0, at), text.slice(at + marker.length)];
}

function row(key: KeyName): string[] {
  const definition = definitionOf(key);
  const { computedDefault, unsetMeans, default: preset } = definition;
  const literal = presetWords(definition);
  const fallback = literal !== undefined && literal === preset ? code(literal) : literal;
  const type = definition.choices === undefined ? valueWords(definition) : definition.choices.map(code).join(', ');
  const only =
    definition.unbuilt === undefined ? '' : ` ${definition.unbuilt.map(code).join(', ')} is not supported yet.`;
  return [
    code(key),
    variables(key),
    type,
    fallback ?? computedDefault ?? unsetMeans ?? '–',
    `${definition.help.replaceAll('<', '&lt;')}${only}`,
  ];
}

function variables(key: KeyName): string {
  return environmentNames(key).map(code).join(', ');
}

function code(text: string): string {
  return `\`${text}\``;
}

function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return [line(head).replace('|  |', '| |'), `|${head.map(() => '---|').join('')}\n`, ...rows.map(line)].join('');
}
