import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { definitionOf, fileKey, KEY_NAMES } from '../../config/schema.ts';
import { isListType, splitList } from '../../config/value.ts';

/** The text of a configuration file with these settings, by key, in the order of the table of keys. Unknown keys are left out. */
export function configurationText(settings: Readonly<Record<string, string>>, workingDirectory: string): string {
  const keys = KEY_NAMES.filter((key) => fileKey(key) !== undefined && settings[key] !== undefined);
  const values = keys.map((key) => [key, valueFor(key, settings[key] ?? '', workingDirectory)]);
  return `# Configuration of a Pulumi workflow agent, written by pulumi-runner-agent configure.
# pulumi-runner-agent run --help lists every key.
${stringify(Object.fromEntries(values), { lineWidth: 0 })}`;
}

/** A setting as the file should say it: the loader reads the same from it as from `text`. */
function valueFor(key: (typeof KEY_NAMES)[number], text: string, workingDirectory: string): unknown {
  const { type } = definitionOf(key);
  switch (type) {
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'count':
    case 'port':
      return /^(?:0|[1-9]\d{0,8})$/.test(text) ? Number(text) : text;
    case 'path':
      // The file may be read from another folder than this.
      return text === '' ? text : resolve(workingDirectory, text);
    default:
      return isListType(type) ? splitList(text) : text;
  }
}
