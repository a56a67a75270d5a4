import type { ContainerSpec, ImagePolicy } from '../executor.ts';
import { fullName } from '../image-policy.ts';
import { parseReference } from '../reference.ts';
import type { RegistryLogin } from './credential-helper.ts';
import type { Engine } from './engine.ts';
import { checkImageName, findImage, type LocalImage } from './image.ts';
import type { Prepulls } from './prepulls.ts';
import { pullImage } from './pull.ts';

/** How this target pulls. */
export interface PullSettings {
  readonly pullIdleMs: number;
  readonly pullRetryMs: number;
  readonly hostLogin: (registry: string, signal: AbortSignal) => Promise<RegistryLogin | undefined>;
  readonly prepulls: Prepulls;
}

/** The image that a job runs in, pulled where that is wanted. An image that may not run is refused before anything is asked. */
export async function obtainImage(
  engine: Engine,
  spec: Pick<ContainerSpec, 'image' | 'policy' | 'pull' | 'credentials' | 'platform'>,
  settings: PullSettings,
  progress: (line: string) => Promise<void>,
  signal: AbortSignal,
): Promise<LocalImage> {
  const { pull, credentials, platform } = spec;
  const image = allowedName(spec.image, spec.policy);
  if (!pull) return findImage(engine, image, false, signal);
  await progress(`Pulling image ${spec.image}.`);
  const key = fullName(parseReference(image));
  settings.prepulls.endOthers(key);
  if (await settings.prepulls.join(key, progress, signal)) {
    const found = await findImage(engine, image, true, signal);
    if (platform === undefined || found.platform === platform) return found;
  }
  await pullImage(
    engine,
    {
      image,
      idleMs: settings.pullIdleMs,
      retryMs: settings.pullRetryMs,
      hostLogin: settings.hostLogin,
      ...(credentials === undefined ? {} : { credentials }),
      ...(platform === undefined ? {} : { platform }),
    },
    progress,
    signal,
  );
  return findImage(engine, image, true, signal);
}

/** Pulls an image that no job has asked for yet. Returns a line that names it. Throws as the pull of a job does. */
export async function prepullImage(
  engine: Engine,
  { image, policy }: { readonly image: string; readonly policy?: ImagePolicy },
  { prepulls, hostLogin, pullIdleMs: idleMs, pullRetryMs: retryMs }: PullSettings,
  signal: AbortSignal,
): Promise<string> {
  const name = allowedName(image, policy);
  const pull = (progress: (line: string) => Promise<void>, inner: AbortSignal) =>
    pullImage(engine, { image: name, idleMs, retryMs, hostLogin }, progress, inner);
  await prepulls.run(fullName(parseReference(name)), pull, signal);
  const { digest, platform } = await findImage(engine, name, true, signal);
  return `${digest} (${platform})`;
}

/** The name to ask the engine for. Throws ImageError for one that is none, or that may not run. */
export function allowedName(image: string, policy: ImagePolicy | undefined): string {
  checkImageName(image);
  return policy?.check(image) ?? image;
}
