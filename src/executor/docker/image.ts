import { ImageError } from '../executor.ts';
import { oneLine } from '../one-line.ts';
import { digestOf, isReference } from '../reference.ts';
import type { Engine } from './engine.ts';
import { EngineRefusedError } from './errors.ts';

/** An image that the engine has. */
export interface LocalImage {
  readonly id: string;
  /** `name@sha256:…`, or the ID. */
  readonly digest: string;
  /** As in the image's configuration: empty, a name or a number, with or without a group. */
  readonly user: string;
  /** `os/architecture`. */
  readonly platform: string;
}

/** Throws ImageError for a text that can't name an image. It would become part of a path of the engine's API. */
export function checkImageName(image: string): void {
  if (isReference(image)) return;
  throw new ImageError(
    `Failed to read the image's name for the job: "${oneLine(image)}" is not a valid image name. Correct it in the deployment settings.`,
  );
}

/** Looks an image up. Throws ImageError when the engine doesn't have it. */
export async function findImage(
  engine: Engine,
  image: string,
  pulled: boolean,
  signal: AbortSignal,
): Promise<LocalImage> {
  try {
    const found = await engine.call((docker) => docker.getImage(image).inspect(), { signal });
    const { Id: id, RepoDigests: repoDigests, Config: config, Os: os, Architecture: architecture } = found;
    return {
      id,
      digest: digestOf(image, { id, repoDigests: repoDigests ?? [] }),
      user: config?.User ?? '',
      platform: `${os}/${architecture}`,
    };
  } catch (error) {
    if (!(error instanceof EngineRefusedError)) throw error;
    const cause = error.status === 404 ? 'the engine does not have it' : error.message;
    const advice = pulled
      ? 'Something removed it after the pull: try again.'
      : 'Pull it on the host first, or set pull_image: true.';
    throw new ImageError(`Failed to find the image for the job: ${image}: ${cause}. ${advice}`, { cause: error });
  }
}
