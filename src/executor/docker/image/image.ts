import { defined } from '../../../defined.ts';
import { type ContainerSpec, ImageError, type ImagePolicy } from '../../executor.ts';
import { oneLine } from '../../one-line.ts';
import { digestOf, isReference } from '../../reference.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineRefusedError } from '../engine/errors.ts';
import { type PullOptions, pullImage } from './pull.ts';

/** An image that the engine has. */
export interface LocalImage {
  readonly id: string;
  /** `name@sha256:…`, or the ID. */
  readonly digest: string;
  /** `os/architecture`. */
  readonly platform: string;
}

/** How images are pulled. */
export type PullSettings = Pick<PullOptions, 'idleMs' | 'retryMs' | 'hostLogin'>;

/** The image that a job runs in, pulled where that is wanted. Throws ImageError. */
export async function obtainImage(
  engine: Engine,
  settings: PullSettings,
  spec: Pick<ContainerSpec, 'image' | 'policy' | 'pull' | 'credentials' | 'platform'>,
  progress: (line: string) => Promise<void>,
  signal: AbortSignal,
): Promise<LocalImage> {
  const { pull, credentials, platform } = spec;
  const image = allowedName(spec.image, spec.policy);
  if (pull) {
    await progress(`Pulling image ${spec.image}.`);
    await pullImage(engine, { image, ...settings, ...defined({ credentials, platform }) }, progress, signal);
  }
  try {
    const found = await engine.call((docker) => docker.getImage(image).inspect(), { signal });
    const { Id: id, RepoDigests: repoDigests, Os: os, Architecture: architecture } = found;
    const digest = digestOf(image, { id, repoDigests: repoDigests ?? [] });
    return { id, digest, platform: `${os}/${architecture}` };
  } catch (error) {
    if (!(error instanceof EngineRefusedError)) throw error;
    const cause = error.status === 404 ? 'the engine does not have it' : error.message;
    const advice = pull
      ? 'Something removed it after the pull: try again.'
      : 'Pull it on the host first, or set pull_image: true.';
    const message = `Failed to find the image for the job: ${image}: ${cause}. ${advice}`;
    throw new ImageError(message, { code: 'PRA-IMAGE-04', cause: error });
  }
}

/** The name to ask the engine for. Throws ImageError for a text that can't name an image, and for an image that may not run. */
function allowedName(image: string, policy: ImagePolicy | undefined): string {
  // It becomes part of a path of the engine's API.
  if (!isReference(image))
    throw new ImageError(
      `Failed to read the image's name for the job: "${oneLine(image)}" is not a valid image name. Correct it in the deployment settings.`,
      { code: 'PRA-IMAGE-02' },
    );
  return policy?.check(image) ?? image;
}
