import { CONFIG_FILE_NAME } from './config-file.ts';
import { definitionOf, isOfficial, KEY_NAMES, type KeyName } from './schema.ts';

/**
 * The reference of all settings, for `--help`: plain text, at most 100 columns, without a final
 * line break.
 */
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

/** A key's default for a reader: in words where it has some, else as written, or `empty`. */
export function defaultWords(key: KeyName): string | undefined {
  const { default: preset, computedDefault, unsetMeans } = definitionOf(key);
  return computedDefault ?? (preset === '' ? 'empty' : preset) ?? unsetMeans;
}

/** Wraps text at words to lines of at most 100 columns; a longer word gets its own line. */
function wrap(text: string, indent: string): string[] {
  const [first = '', ...words] = text.split(' ');
  const lines = [`${indent}${first}`];

  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= 100) lines[lines.length - 1] = longer;
    else lines.push(`${indent}${word}`);
  }

  return lines;
}
