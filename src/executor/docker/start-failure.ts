import { ContainerError } from '../executor.ts';
import { oneLine } from '../one-line.ts';
import { EngineRefusedError } from './errors.ts';
import type { LocalImage } from './image.ts';
import { type Keeper, KeeperGoneError } from './keeper.ts';

/** The sentence for a container that could not be made or started. */
export function startError(error: unknown, image: LocalImage, keeper: Keeper | undefined): unknown {
  const refused = error instanceof EngineRefusedError;
  if (!refused && !(error instanceof KeeperGoneError)) return error;
  const cause = refused ? error.message : oneLine(keeper?.complaint || 'its main process ended at once');
  const message = `Failed to start a container for the job from ${image.digest}: ${cause}. ${startAdvice(cause, image)}`;
  return new ContainerError(message, { cause: error });
}

function startAdvice(cause: string, image: LocalImage): string {
  if (/exec format error/i.test(cause)) {
    return `The image is for ${image.platform} and the engine's host can't run that: use a runner of that platform, or install its emulator (binfmt).`;
  }
  if (/does not match the (specified|requested) platform|no matching manifest/i.test(cause)) {
    return 'Set pull_image: true, so that the image for the wanted platform is pulled, or use a runner pool of the platform that is there.';
  }
  if (/container-init binary not found/i.test(cause)) return 'Install catatonit beside Podman.';
  if (/no such file or directory|executable file not found/i.test(cause)) {
    return 'The image must have a POSIX shell named sh in its PATH.';
  }
  if (/unable to find user|no matching entries in passwd/i.test(cause))
    return "Correct the USER of the image: it isn't in its /etc/passwd.";
  const [, network] = /network (\S+) not found/i.exec(cause) ?? [];
  if (network !== undefined)
    return `Make it on the engine (docker network create ${network}), or correct container_network.`;
  if (/no space left/i.test(cause)) return "Free disk space for the engine's containers.";
  return "See the engine's log.";
}
