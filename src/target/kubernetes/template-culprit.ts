import type { TemplatePatch, TemplatePath } from './template-file.ts';
import { mergeKeyOf } from './template-path.ts';

/** Pieces of a template that are tried at most: each is a call, and a wide template has some hundred values. */
const TRIES = 300;

/**
 * Where in `patch` the reason of a refusal lies that names no field: the smallest piece that is refused like the whole. `fails` says
 * whether a piece is.
 */
export async function culpritIn(
  patch: TemplatePatch,
  fails: (piece: TemplatePatch) => Promise<boolean>,
): Promise<TemplatePath> {
  let path: TemplatePath = [];
  let tries = 0;
  for (let below = partsOf(patch, path); ; below = partsOf(patch, path)) {
    let found: TemplatePath | undefined;
    for (const part of below) {
      tries += 1;
      if (tries > TRIES) return path;
      found = (await fails(pieceOf(patch, [...path, part]) as TemplatePatch)) ? [...path, part] : undefined;
      if (found !== undefined) break;
    }
    if (found === undefined) return [...path, ...below.filter(isDirective).slice(0, 1)];
    path = found;
  }
}

/** What says how the rest is merged: it contradicts the rest, where no part is wrong by itself. */
function isDirective(part: string | number): boolean {
  return String(part).startsWith('$');
}

function partsOf(patch: object, path: TemplatePath): (string | number)[] {
  const value = path.reduce<unknown>((above, part) => (above as Record<string | number, unknown>)[part], patch);
  if (Array.isArray(value)) return [...value.keys()];
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

/** The value with nothing but what is at `path`, and what says which elements of lists that belongs to. */
function pieceOf(value: unknown, [part, ...rest]: TemplatePath, name?: string | number): unknown {
  if (part === undefined) return value;
  if (Array.isArray(value)) return [pieceOf(value[Number(part)], rest, name)];
  const fields = value as Readonly<Record<string, unknown>>;
  const key = mergeKeyOf(name);
  return {
    ...(key !== undefined && key in fields ? { [key]: fields[key] } : {}),
    [part]: pieceOf(fields[part], rest, part),
  };
}
