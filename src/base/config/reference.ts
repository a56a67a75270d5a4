import { definitionOf, type KeyName } from './schema.ts';

/** A key's default for a reader: in words where it has some, else as written, or `empty`. */
export function defaultWords(key: KeyName): string | undefined {
  const { default: preset, computedDefault, unsetMeans } = definitionOf(key);
  return computedDefault ?? (preset === '' ? 'empty' : preset) ?? unsetMeans;
}
