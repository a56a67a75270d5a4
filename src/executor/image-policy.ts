import { matchesName } from '../base/name-pattern.ts';
import { ImageError, type ImagePolicy } from './executor.ts';
import { type ImageReference, parseReference } from './image-reference.ts';

/** The configuration doesn't allow the image. No registry was contacted. */
export class ImageNotAllowedError extends ImageError {
  override readonly name = 'ImageNotAllowedError';
}

/**
 * Registry and port, path component, tag and digest as in distribution/reference; all but the tag
 * in lower case.
 */
const REGISTRY = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/;
const COMPONENT = /^[a-z0-9]+((\.|_{1,2}|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

export interface ImageRules {
  readonly allowedImages: readonly string[];
  readonly requireDigest: boolean;
}

/**
 * The policy of these rules; undefined when they allow everything.
 *
 * A pattern is parsed as Docker parses a name. Registry, path, tag and digest are compared
 * separately, so no wildcard spans two of them: `*` matches any text within one part, `**` one or
 * more path components. A pattern without tag and digest matches any tag and digest; one with a tag
 * matches no name with a digest, because the digest decides what runs.
 */
export function imagePolicy({ allowedImages, requireDigest }: ImageRules): ImagePolicy | undefined {
  if (allowedImages.length === 0 && !requireDigest) return undefined;
  const patterns = allowedImages.map((text) => parseReference(text));
  return (image) => {
    const reference = parseReference(image);

    const refused = (why: string, advice: string) =>
      new ImageNotAllowedError(
        `Failed to use the image for the job: image ${image} is not allowed: ${why}. ${advice}`,
        { code: 'PRA-IMAGE-01' },
      );

    if (!isStrict(reference)) {
      throw refused(
        'its name is not in the form that registries use',
        'Write it in lower case, in the deployment settings or the key image.',
      );
    }

    if (requireDigest && reference.digest === undefined) {
      // Without the parts that are usually omitted for Docker Hub.
      const shown = reference.repository.replace(/^docker\.io\/(library\/)?/, '');
      throw refused(
        'require_digest requires its digest',
        `Name it as ${shown}@sha256:…, in the deployment settings or the key image.`,
      );
    }

    const full = fullName(reference);
    if (patterns.length > 0 && !patterns.some((pattern) => matches(pattern, reference))) {
      throw refused(
        `no pattern of allowed_images (${allowedImages.join(', ')}) matches ${full}`,
        'Choose another image in the deployment settings or the key image, or add a pattern.',
      );
    }

    return full;
  };
}

/**
 * The name that every engine reads in the same way: it is complete, and can't be mistaken for an
 * image's ID.
 */
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

/** Compares component by component; `**` matches one or more. */
function pathMatches(pattern: readonly string[], path: readonly string[]): boolean {
  // The numbers of components that the pattern so far can match: a recursion takes minutes for a
  // long name.
  let counts = [0];
  for (const part of pattern) {
    const [least = path.length] = counts;
    const matching = [...path.entries()].filter(([at, component]) =>
      part === '**' ? at >= least : counts.includes(at) && matchesName(part, component),
    );
    counts = matching.map(([at]) => at + 1);
  }

  return counts.includes(path.length);
}

function componentsOf({ registry, repository }: ImageReference): string[] {
  return repository.slice(registry.length + 1).split('/');
}

/** Compares label by label; dots and the port's colon must be in the same places. */
function registryMatches(pattern: string, registry: string): boolean {
  const [parts, labels] = [pattern, registry].map((text) => text.split(/([.:])/)) as [string[], string[]];
  return (
    parts.length === labels.length && parts.every((part, index) => matchesName(part, labels[index] ?? ''))
  );
}

function versionMatches(pattern: ImageReference, { tag, digest }: ImageReference): boolean {
  if (pattern.digest !== undefined) return digest !== undefined && matchesName(pattern.digest, digest);
  return pattern.tag === undefined || (digest === undefined && matchesName(pattern.tag, tag ?? 'latest'));
}
