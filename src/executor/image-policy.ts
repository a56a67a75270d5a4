import { ImageError, type ImagePolicy } from './executor.ts';
import { type ImageReference, parseReference } from './reference.ts';

export interface ImageRules {
  /** Patterns of images; any image may run when there are none. */
  readonly allowed: readonly string[];
  /** Only an image that is named by its digest may run. */
  readonly requireDigest: boolean;
}

/** The configuration doesn't let the image run. Nothing was asked of a registry. */
export class ImageNotAllowedError extends ImageError {
  override readonly name = 'ImageNotAllowedError';
}

/** A registry's name and port, a path of distribution/reference's components, a tag, a digest; all but the tag in lower case. */
const REGISTRY = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/;
const COMPONENT = /^[a-z0-9]+((\.|_{1,2}|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/**
 * The policy of `rules`; undefined when they allow everything.
 *
 * A pattern is read as Docker reads a name. Registry, path, tag and digest are compared part by part, so that no wildcard reaches from
 * one into the next: `*` is any text within one part, `**` one component of the path or more. A pattern without tag and digest takes
 * any; one with a tag takes no name with a digest, which then says what runs.
 */
export function imagePolicy({ allowed, requireDigest }: ImageRules): ImagePolicy | undefined {
  if (allowed.length === 0 && !requireDigest) return undefined;
  const patterns = allowed.map((text) => parseReference(text));
  return {
    check(image) {
      const reference = parseReference(image);
      const refused = (why: string, advice: string) =>
        new ImageNotAllowedError(
          `Failed to use the image for the job: image ${image} is not allowed: ${why}. ${advice}`,
          { code: 'PRA-IMAGE-01' },
        );
      if (!isStrict(reference)) {
        throw refused(
          'its name is not written as registries have it',
          'Write it in lower case, in the deployment settings or the key image.',
        );
      }
      if (requireDigest && reference.digest === undefined) {
        // Without what people leave out of Docker Hub's.
        const shown = reference.repository.replace(/^docker\.io\/(library\/)?/, '');
        throw refused(
          'require_digest wants it named by its digest',
          `Name it as ${shown}@sha256:…, in the deployment settings or the key image.`,
        );
      }
      const full = fullName(reference);
      if (patterns.length > 0 && !patterns.some((pattern) => matches(pattern, reference))) {
        throw refused(
          `no pattern of allowed_images (${allowed.join(', ')}) takes ${full}`,
          'Choose another image in the deployment settings or the key image, or have a pattern added.',
        );
      }
      return full;
    },
  };
}

/** The name that every engine reads the same way: nothing is left to fill in, and it can't be taken for an image's ID. */
export function fullName({ repository, tag, digest }: ImageReference): string {
  return digest === undefined ? `${repository}:${tag ?? 'latest'}` : `${repository}@${digest}`;
}

function isStrict(reference: ImageReference): boolean {
  const { registry, tag, digest } = reference;
  return (
    REGISTRY.test(registry) &&
    componentsOf(reference).every((component) => COMPONENT.test(component)) &&
    (tag === undefined || TAG.test(tag)) &&
    (digest === undefined || DIGEST.test(digest))
  );
}

function matches(pattern: ImageReference, reference: ImageReference): boolean {
  // `**` is one component and then any number of them.
  const path = componentsOf(pattern).flatMap<Wanted>((component) => (component === '**' ? ['*', ANY] : [component]));
  return (
    registryMatches(pattern.registry, reference.registry) &&
    sequenceMatches(path, componentsOf(reference), glob) &&
    versionMatches(pattern, reference)
  );
}

function componentsOf({ registry, repository }: ImageReference): string[] {
  return repository.slice(registry.length + 1).split('/');
}

/** Label by label, with the dots and the port's colon where they are in both. */
function registryMatches(pattern: string, registry: string): boolean {
  const [wanted, found] = [pattern, registry].map((text) => text.split(/([.:])/)) as [string[], string[]];
  return wanted.length === found.length && wanted.every((part, index) => glob(part, found[index] ?? ''));
}

function versionMatches(pattern: ImageReference, { tag, digest }: ImageReference): boolean {
  if (pattern.digest !== undefined) return digest !== undefined && glob(pattern.digest, digest);
  return pattern.tag === undefined || (digest === undefined && glob(pattern.tag, tag ?? 'latest'));
}

function glob(pattern: string, text: string): boolean {
  return sequenceMatches(
    [...pattern].map((character) => (character === '*' ? ANY : character)),
    [...text],
    (wanted, found) => wanted === found,
  );
}

/** Stands for any number of items, also none. */
const ANY = Symbol('any');
type Wanted = string | typeof ANY;

/** At most items × pattern comparisons, whatever the two are. */
function sequenceMatches(
  pattern: readonly Wanted[],
  items: readonly string[],
  same: (wanted: string, found: string) => boolean,
): boolean {
  // Of how many items the pattern so far takes the beginning.
  let taken = [true, ...items.map(() => false)];
  for (const wanted of pattern) {
    const before = taken;
    const first = before.indexOf(true);
    taken = before.map((_, count) =>
      wanted === ANY
        ? first >= 0 && count >= first
        : before[count - 1] === true && same(wanted, items[count - 1] ?? ''),
    );
  }
  return taken.at(-1) === true;
}
