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
  return (
    registryMatches(pattern.registry, reference.registry) &&
    pathMatches(componentsOf(pattern), componentsOf(reference)) &&
    versionMatches(pattern, reference)
  );
}

/** Component by component; `**` is one or more of them. */
function pathMatches(pattern: readonly string[], path: readonly string[]): boolean {
  // How many components the pattern so far may stand for, each once: a long name takes minutes otherwise.
  let counts = [0];
  for (const wanted of pattern) {
    const [least = path.length] = counts;
    const taken = [...path.entries()].filter(([at, component]) =>
      wanted === '**' ? at >= least : counts.includes(at) && glob(wanted, component),
    );
    counts = taken.map(([at]) => at + 1);
  }
  return counts.includes(path.length);
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

/** Takes what stands between wildcards at its first place, which leaves the most for what is behind. */
function glob(pattern: string, text: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let taken = first.length;
  for (const piece of others) {
    const at = text.indexOf(piece, taken);
    if (at < 0) return false;
    taken = at + piece.length;
  }
  return text.length - taken >= last.length && text.endsWith(last);
}
