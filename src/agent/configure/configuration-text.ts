import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { boolean, filePath, splitList } from '../../config/kind.ts';
import { definitionOf, KEY_NAMES } from '../../config/schema.ts';

/** The text of a configuration file with these settings, by key, in the order of the table of keys. Unknown keys are left out. */
export function configurationText(settings: Readonly<Record<string, string>>, workingDirectory: string): string {
  const keys = KEY_NAMES.filter((key) => settings[key] !== undefined);
  const values = keys.map((key) => [key, valueFor(key, settings[key] ?? '', workingDirectory)]);
  return `# Configuration of a Pulumi workflow agent, written by pulumi-runner-agent configure.
# pulumi-runner-agent run --help lists every key.
${stringify(Object.fromEntries(values), { lineWidth: 0 })}`;
}

/** A setting as the file should say it: the loader reads the same from it as from `text`. */
function valueFor(key: (typeof KEY_NAMES)[number], text: string, workingDirectory: string): unknown {
  const { kind } = definitionOf(key);
  if (kind.list) return splitList(text);
  // The file may be read from another folder than this.
  if (kind === filePath) return text === '' ? text : resolve(workingDirectory, text);
  if (kind === boolean && /^(true|false)$/.test(text)) return text === 'true';
  return /^(number|port)$/.test(kind.words) && /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : text;
}
