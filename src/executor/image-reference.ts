/** An image's name, parsed as Docker parses it (distribution/reference). */
export interface ImageReference {
  /** `docker.io` if the name has none. */
  readonly registry: string;

  /** With the registry and, on Docker Hub, `library/`: two names of one repository are equal. */
  readonly repository: string;

  /**
   * The name that pulls exactly one image: without tag and digest, `:latest` is added (else all
   * tags are pulled).
   */
  readonly pullable: string;

  /** The tag, if the name has one. */
  readonly tag: string | undefined;
  /** `sha256:…` if the name pins one. */
  readonly digest: string | undefined;
}

/**
 * True if `text` has only characters of an image's name and no `..`. The engine judges the rest.
 */
export function isReference(text: string): boolean {
  return /^[a-z0-9][\w./:@-]*$/i.test(text) && !text.includes('..') && text.length <= 1024;
}

/** Parses `text`. Never throws: the engine decides whether it is a valid name. */
export function parseReference(text: string): ImageReference {
  const [name = '', digest] = text.split('@', 2);

  // A colon after the last slash starts the tag; an earlier one belongs to the registry's port.
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  const path = colon < 0 ? name : name.slice(0, colon);
  const slash = path.indexOf('/');
  const first = slash < 0 ? '' : path.slice(0, slash);

  // Upper case, which no path can have, marks a registry too (distribution/reference since 2022).
  const namesRegistry = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  const registry = !namesRegistry || first === 'index.docker.io' ? 'docker.io' : first;
  const rest = namesRegistry ? path.slice(slash + 1) : path;

  // `**` occurs in patterns and matches everything on Docker Hub.
  const inLibrary = registry === 'docker.io' && !rest.includes('/') && rest !== '**';

  return {
    registry,
    repository: `${registry}/${inLibrary ? 'library/' : ''}${rest}`,
    pullable: colon < 0 && digest === undefined ? `${text}:latest` : text,
    tag: colon < 0 ? undefined : name.slice(colon + 1),
    digest,
  };
}

/**
 * The address of a registry in a Docker configuration: for Docker Hub another than in images'
 * names.
 */
export function loginAddress({ registry }: ImageReference): string {
  return registry === 'docker.io' ? 'https://index.docker.io/v1/' : registry;
}

/**
 * The reference of the image that runs: the entry of `repoDigests` for `text`'s repository, else
 * the image's ID.
 */
export function digestOf(
  text: string,
  image: { readonly id: string; readonly repoDigests: readonly string[] },
): string {
  const { repository, digest } = parseReference(text);
  const candidates = image.repoDigests.filter((entry) => parseReference(entry).repository === repository);
  return (
    candidates.find((entry) => digest !== undefined && entry.endsWith(`@${digest}`)) ??
    candidates[0] ??
    image.id
  );
}
