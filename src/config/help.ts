import type { KeyDefinition } from './key-definition.ts';
import { definitionOf, environmentNames, isOfficial, KEY_NAMES, type KeyName } from './schema.ts';
import { CONFIG_FILE_NAME } from './search-path.ts';

const TYPE_WORDS = {
  secret: 'secret',
  word: 'word',
  text: 'text',
  certificates: 'PEM text or path',
  template: 'YAML or path',
  path: 'path',
  url: 'URL',
  boolean: 'true or false',
  count: 'number',
  port: 'port',
  duration: 'duration',
  lifetime: 'duration or seconds',
  choice: '',
  choices: 'list',
  names: 'list',
  images: 'list',
  'image-patterns': 'list',
  volume: 'name=/path',
  quantity: 'quantity',
  decimal: 'number',
  network: 'name',
  address: 'IP address',
  addresses: 'list',
  stacks: 'list',
  none: 'ignored',
} as const;

/** The reference of all settings, for `--help`: plain text, at most 100 columns, without a final line break. */
export function configReference(): string {
  const inFile = KEY_NAMES.filter((key) => definitionOf(key).environmentOnly !== true);
  const environmentOnly = KEY_NAMES.filter((key) => !inFile.includes(key));
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
    ...inFile.filter(isOfficial).flatMap(entry),
    '',
    'Further keys:',
    ...inFile.filter((key) => !isOfficial(key)).flatMap(entry),
    '',
    'Accepted in the environment, without effect outside Kubernetes:',
    ...wrap(environmentOnly.flatMap(environmentNames).join(', '), '  '),
  ].join('\n');
}

function entry(key: KeyName): string[] {
  const definition = definitionOf(key);
  const { computedDefault, unsetMeans, environment, help, unbuilt } = definition;
  const fallback = presetWords(definition) ?? computedDefault ?? unsetMeans;
  const facts = [
    valueWords(definition),
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
    ...(environment === undefined ? [] : [`environment: ${environment.join(', ')}`]),
    ...(unbuilt === undefined ? [] : [`${unbuilt.join(', ')} is not supported yet`]),
  ];
  return [`  ${key}`, ...wrap(facts.join('; '), '      '), ...wrap(help, '      ')];
}

/** What values a key takes, in words. */
export function valueWords({ type, choices }: KeyDefinition): string {
  return choices === undefined ? TYPE_WORDS[type] : choices.join(type === 'choice' ? ' | ' : ', ');
}

/** A key's built-in default as a reader may see it: `empty` and `all` for lists, otherwise as it is written. */
export function presetWords({ default: preset, choices }: KeyDefinition): string | undefined {
  if (preset === '') return 'empty';
  return choices !== undefined && preset === choices.join(',') ? 'all' : preset;
}

function wrap(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    const longer = line === indent ? `${indent}${word}` : `${line} ${word}`;
    if (longer.length > 100 && line !== indent) {
      lines.push(line);
      line = `${indent}${word}`;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}
