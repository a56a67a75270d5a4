import { defined } from '../../../defined.ts';
import { type ContainerSpec, ImageError, type ImagePolicy } from '../../executor.ts';
import { fullName } from '../../image-policy.ts';
import { oneLine } from '../../one-line.ts';
import { digestOf, isReference, parseReference } from '../../reference.ts';
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

/** How images are pulled, for jobs and ahead of them. */
export type PullSettings = Pick<PullOptions, 'idleMs' | 'retryMs' | 'hostLogin'>;

/** An engine's images: those that jobs run in, and those that are pulled ahead of them. */
export class Images {
  readonly #engine: Engine;
  readonly #settings: PullSettings;
  /** Pulls ahead of jobs, each with the full name of its image. */
  readonly #ahead = new Map<AbortController, string>();

  constructor(engine: Engine, settings: PullSettings) {
    this.#engine = engine;
    this.#settings = settings;
  }

  /**
   * The image that a job runs in, pulled where that is wanted. One that is being pulled ahead meanwhile isn't downloaded twice: the
   * engine hands its layers to both pulls. Pulls ahead of other images end, since the job needs the network. Throws ImageError.
   */
  async obtain(
    spec: Pick<ContainerSpec, 'image' | 'policy' | 'pull' | 'credentials' | 'platform'>,
    progress: (line: string) => Promise<void>,
    signal: AbortSignal,
  ): Promise<LocalImage> {
    const { pull, credentials, platform } = spec;
    const image = allowedName(spec.image, spec.policy);
    if (!pull) return this.#find(image, false, signal);
    await progress(`Pulling image ${spec.image}.`);
    this.#endAllBut(fullName(parseReference(image)));
    const options = { image, ...this.#settings, ...defined({ credentials, platform }) };
    await pullImage(this.#engine, options, progress, signal);
    return this.#find(image, true, signal);
  }

  /** Pulls an image that no job has asked for yet. Returns a line that names it. Throws as the pull of a job does. */
  async prepull(image: string, policy: ImagePolicy | undefined, signal: AbortSignal): Promise<string> {
    const name = allowedName(image, policy);
    const end = new AbortController();
    this.#ahead.set(end, fullName(parseReference(name)));
    const either = AbortSignal.any([signal, end.signal]);
    try {
      await pullImage(this.#engine, { image: name, ...this.#settings }, async () => undefined, either);
    } finally {
      this.#ahead.delete(end);
    }
    const { digest, platform } = await this.#find(name, true, signal);
    return `${digest} (${platform})`;
  }

  /** Ends every pull ahead of a job. */
  close(): void {
    this.#endAllBut(undefined);
  }

  #endAllBut(name: string | undefined): void {
    for (const [end, other] of this.#ahead) if (other !== name) end.abort(new Error('a job needs the network'));
  }

  async #find(image: string, pulled: boolean, signal: AbortSignal): Promise<LocalImage> {
    try {
      const found = await this.#engine.call((docker) => docker.getImage(image).inspect(), { signal });
      const { Id: id, RepoDigests: repoDigests, Os: os, Architecture: architecture } = found;
      const digest = digestOf(image, { id, repoDigests: repoDigests ?? [] });
      return { id, digest, platform: `${os}/${architecture}` };
    } catch (error) {
      if (!(error instanceof EngineRefusedError)) throw error;
      const cause = error.status === 404 ? 'the engine does not have it' : error.message;
      const advice = pulled
        ? 'Something removed it after the pull: try again.'
        : 'Pull it on the host first, or set pull_image: true.';
      const message = `Failed to find the image for the job: ${image}: ${cause}. ${advice}`;
      throw new ImageError(message, { code: 'PRA-IMAGE-04', cause: error });
    }
  }
}

/** The name to ask the engine for. Throws ImageError for a text that can't name an image, and for an image that may not run. */
export function allowedName(image: string, policy: ImagePolicy | undefined): string {
  // It becomes part of a path of the engine's API.
  if (!isReference(image))
    throw new ImageError(
      `Failed to read the image's name for the job: "${oneLine(image)}" is not a valid image name. Correct it in the deployment settings.`,
      { code: 'PRA-IMAGE-02' },
    );
  return policy?.check(image) ?? image;
}
