import { z } from 'zod';
import { CONFIG_FILE_NAME } from './config-file.ts';
import { type Kind, splitList } from './kind.ts';
import { definitionOf, environmentNames, isOfficial, KEY_NAMES, type KeyName } from './schema.ts';

/** The reference of all settings, for `--help`: plain text, at most 100 columns, without a final line break. */
export function configReference(): string {
  return [
    'CONFIGURATION',
    ...wrap(
      `Flags, then the environment, then the file, then the defaults. The file is ${CONFIG_FILE_NAME} in the current ` +
        "directory, the home directory, /etc, or the agent's own directory; the first one found is used. " +
        'A key is PULUMI_AGENT_<KEY> in the environment unless another name is given. Durations are written as in Go: 300ms, 30s, 1h30m.',
      '  ',
    ),
    '',
    "Keys of Pulumi's customer-managed workflow agent:",
    ...KEY_NAMES.filter(isOfficial).flatMap(entry),
    '',
    'Further keys:',
    ...KEY_NAMES.filter((key) => !isOfficial(key)).flatMap(entry),
  ].join('\n');
}

function entry(key: KeyName): string[] {
  const { environment, help, kind } = definitionOf(key);
  const preset = defaultWords(key);
  const facts = [
    kind.words,
    ...(preset === undefined ? [] : [`default: ${preset}`]),
    ...(environment === undefined ? [] : [`environment: ${environment.join(', ')}`]),
  ];
  return [`  ${key}`, ...wrap(facts.join('; '), '      '), ...wrap(help, '      ')];
}

/** A key's default as a reader may see it: as it is written, in words, or `empty` and `all` for lists. */
function defaultWords(key: KeyName): string | undefined {
  const { default: preset, computedDefault, unsetMeans, kind } = definitionOf(key);
  if (preset === '') return 'empty';
  if (kind.list && preset?.replaceAll(',', ', ') === kind.words) return 'all';
  return preset ?? computedDefault ?? unsetMeans;
}

/** `text` with what stands between each table's markers replaced by the table: docs/configuration.md. */
export function withTables(text: string): string {
  const tables = {
    'official-keys': KEY_NAMES.filter(isOfficial),
    'further-keys': KEY_NAMES.filter((k) => !isOfficial(k)),
  };
  return Object.entries(tables).reduce((page, [name, keys]) => {
    const between = new RegExp(`(?<=<!-- ${name} -->\n).*(?=<!-- /${name} -->)`, 's');
    if (!between.test(page)) throw new Error(`there is no <!-- ${name} --> in the text`);
    const head = '| Key | Variable | Type | Default | |\n|---|---|---|---|---|\n';
    return page.replace(between, () => `${head}${keys.map(row).join('')}`);
  }, text);
}

function row(key: KeyName): string {
  const { default: preset, help, kind } = definitionOf(key);
  const words = defaultWords(key) ?? '–';
  const choices = kind.words.split(kind.list ? ', ' : ' | ');
  const cells = [
    code(key),
    environmentNames(key).map(code).join(', '),
    choices.length > 1 ? choices.map(code).join(', ') : kind.words,
    preset !== undefined && words === preset ? code(words) : words,
    help.replaceAll('<', '&lt;'),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function wrap(text: string, indent: string): string[] {
  const lines = [indent];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    const longer = line === indent ? `${indent}${word}` : `${line} ${word}`;
    if (longer.length > 100) lines.push(`${indent}${word}`);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

type Shape = z.core.JSONSchema.BaseSchema;

// The agent reads a scalar as it is written: a name may be all digits. Nothing at all is the same as leaving the key out.
const ANY_SCALAR = ['string', 'number', 'boolean', 'null'];

/**
 * The JSON Schema (draft 7, which editors know best) of a configuration file. A key that is not in the table is refused,
 * although the agent only warns of it: an editor is where a slip should show.
 */
export function configJsonSchema(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: CONFIG_FILE_NAME,
    description:
      "Configuration of an agent for Pulumi's customer-managed workflows. Generated: edit src/config/schema.ts.",
    type: ['object', 'null'],
    properties: Object.fromEntries(KEY_NAMES.map((key) => [key, property(key)])),
    additionalProperties: false,
  };
}

function property(key: KeyName): object {
  const { default: preset, help, kind } = definitionOf(key);
  const { $schema, ...shape } = z.toJSONSchema(kind.schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
  return {
    description: isOfficial(key) ? help : `${help} Not a key of Pulumi's own agent.`,
    ...(kind.list ? listShape(shape) : scalarShape(shape)),
    ...(preset !== undefined && { default: presetOf(kind, preset) }),
  };
}

/** In a file a value may be left empty, and text may look like a number. A kind's metadata says where it may not. */
function scalarShape(shape: Shape): object {
  if (shape.enum !== undefined) return { enum: [...shape.enum, null] };
  return shape.type === 'string' ? { ...shape, type: ANY_SCALAR } : shape;
}

/** A list may also be one text. */
function listShape({ items = {} }: Shape): object {
  const { enum: choices, pattern = '' } = items as Shape;
  const item = choices?.join('|') ?? pattern.slice(1, -1);
  return {
    anyOf: [
      { type: 'array', items },
      { type: ['string', 'null'], pattern: `^[\\s,]*((${item})([\\s,]+|$))*$` },
    ],
  };
}

/** The default as it would stand in a file. */
function presetOf(kind: Kind, preset: string): unknown {
  if (kind.list) return splitList(preset);
  return /^(true|false|\d+)$/.test(preset) ? JSON.parse(preset) : preset;
}
