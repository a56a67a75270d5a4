import { defined } from '../defined.ts';

/** An image's name, taken apart as Docker does (distribution/reference). */
export interface ImageReference {
  /** `docker.io` when the name has none. */
  readonly registry: string;
  /** With the registry and, on Docker Hub, with `library/`: two names of one repository are equal. */
  readonly repository: string;
  /** The name that pulls exactly one image: `:latest` is added where tag and digest are missing (else all tags are pulled). */
  readonly pullable: string;
  /** What stands behind the last colon, where the name has a tag. */
  readonly tag?: string;
  /** `sha256:…` where the name pins one. */
  readonly digest?: string;
}

/** True when `text` has the characters of an image's name and no path that climbs. The engine judges the rest. */
export function isReference(text: string): boolean {
  return /^[a-z0-9][\w./:@-]*$/i.test(text) && !text.includes('..') && text.length <= 1024;
}

/** Takes `text` apart. Never throws: whether it is a valid name is the engine's to say. */
export function parseReference(text: string): ImageReference {
  const [name = '', digest] = text.split('@', 2);
  // A colon after the last slash begins the tag; one before belongs to the registry's port.
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  const path = colon < 0 ? name : name.slice(0, colon);
  const slash = path.indexOf('/');
  const first = slash < 0 ? '' : path.slice(0, slash);
  // Upper case, which no path may have, makes a registry of it too (distribution/reference since 2022).
  const named = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  const registry = !named || first === 'index.docker.io' ? 'docker.io' : first;
  const rest = named ? path.slice(slash + 1) : path;
  // `**` is a pattern's, for everything that is there.
  const inLibrary = registry === 'docker.io' && !rest.includes('/') && rest !== '**';
  return {
    registry,
    repository: `${registry}/${inLibrary ? 'library/' : ''}${rest}`,
    pullable: colon < 0 && digest === undefined ? `${text}:latest` : text,
    ...defined({ tag: colon < 0 ? undefined : name.slice(colon + 1), digest }),
  };
}

/** What really runs: the entry of `repoDigests` that belongs to `text`'s repository, else the image's ID. */
export function digestOf(
  text: string,
  image: { readonly id: string; readonly repoDigests: readonly string[] },
): string {
  const wanted = parseReference(text);
  const own = image.repoDigests.filter((entry) => parseReference(entry).repository === wanted.repository);
  return own.find((entry) => wanted.digest !== undefined && entry.endsWith(`@${wanted.digest}`)) ?? own[0] ?? image.id;
}
