import { hostAdvice, UNKNOWN_PLATFORM, UNKNOWN_PLATFORM_ADVICE, withoutNames } from '../../foreign-text.ts';
import { EngineRefusedError } from '../engine/errors.ts';

/** The container that did not start. */
interface StartSubject {
  /** The image's platform, `os/architecture`. */
  readonly platform: string;
  /** The image was just pulled. */
  readonly isPulled: boolean;
  /** The network that was made for the job, if one was. */
  readonly ownNetwork: string | undefined;
}

/** Refusals of an image that has no shell or a wrong user, or is built for another platform. */
const OF_IMAGE =
  /exec format error|does not match the (specified|requested) platform|found but does not provide|no matching manifest|\bsh\b["'`]?:? .*(not found|no such file|permission denied)|executable\b.{0,20}\bsh\b|unable to find (user|group)|no matching entries in (passwd|group)|uids and gids must be in range/i;

/** True if the engine's words are about the image, or the platform that it should be for. */
export function isOfImage(words: string): boolean {
  return OF_IMAGE.test(words) || UNKNOWN_PLATFORM.test(words);
}

/** True if the words of a container's own main process are about the host that it ran on. */
export function isOfHost(words: string): boolean {
  return NO_NEW_PRIVILEGES.test(words) || hostAdvice(words, 'containers') !== undefined;
}

/** The network that isn't there, in the words of Docker and of Podman. */
function missingNetwork(words: string): string | undefined {
  const [, network] =
    /network (\S+) not found|unable to find network with name or ID ([^\s:]+)/i
      .exec(words)
      ?.filter(Boolean) ?? [];
  return network;
}

/**
 * True if the engine lacks something that it had: a prune took the network, the container or the
 * image. Never for a network that the settings name.
 */
export function isTakenAway(error: unknown, ownNetwork: string | undefined): boolean {
  if (!(error instanceof EngineRefusedError) || isOfImage(error.message)) return false;
  if (missingNetwork(error.message) !== undefined) return ownNetwork !== undefined;
  return error.status === 404 || /no such (image|container)/i.test(error.message);
}

/** A runtime that the engine doesn't know or can't find. `OCI runtime` begins most other errors. */
const UNKNOWN_RUNTIME =
  /unknown (or invalid )?runtime|failed to resolve runtime|runtime "[^"]*" binary not installed|default OCI runtime "[^"]*" not found|requested OCI runtime/i;

/** Snap's AppArmor profile refuses it (launchpad.net/bugs/1908448), whatever the image. */
const NO_NEW_PRIVILEGES = /(exec:? \S+:|process caused:?) "?operation not permitted/i;

const NO_SHELL = /executable file not found|exec(: |\b.*)("?sh"?|PATH)\b.*no such file or directory/i;

/**
 * The remedy for a container that could not be created or started, by the engine's or the
 * container's words, but never by a word in a name.
 */
export function startAdvice(words: string, { platform, isPulled, ownNetwork }: StartSubject): string {
  const text = withoutNames(words);
  const host = hostAdvice(text, 'containers');
  if (host !== undefined) return host;

  const network = missingNetwork(words);
  if (network !== undefined && network === ownNetwork) {
    return 'Another program removed it, such as docker network prune: run none during jobs.';
  }
  if (network !== undefined) {
    return `Create it on the engine (docker network create ${network}), or correct container_network.`;
  }

  if (/exec format error/i.test(text))
    return `The image is for ${platform} and the engine's host can't run that: use a runner of that platform, or install its emulator (binfmt).`;

  if (UNKNOWN_PLATFORM.test(text)) return UNKNOWN_PLATFORM_ADVICE;

  // Docker 29 with the containerd store also pulls an image of another platform than the wanted one.
  if (
    /does not match the (specified|requested) platform|found but does not provide|no matching manifest/i.test(
      text,
    )
  ) {
    const pool = 'use a runner pool for the platform of this one';
    return isPulled
      ? `Use an image built for the wanted platform, or ${pool}.`
      : `Set pull_image: true, so that the image for the wanted platform is pulled, or ${pool}.`;
  }

  if (NO_NEW_PRIVILEGES.test(text))
    return "The engine's own confinement forbids no-new-privileges, which every job has; that of Docker from Snap does. Install Docker from its own packages.";
  if (NO_SHELL.test(text)) return 'The image must have a POSIX shell named sh in its PATH.';
  if (/unable to find user|no matching entries in passwd/i.test(text))
    return "Correct the USER of the image: it isn't in its /etc/passwd.";
  if (UNKNOWN_RUNTIME.test(text)) return 'Install the runtime on the engine, or correct container_runtime.';

  if (/minimum memory limit|unable to set memory limit|memory limit too low/i.test(text))
    return 'Raise memory: no container can start with so little.';
  if (/range of CPUs|CPU cfs quota can ?not/i.test(text))
    return 'Correct num_cpus: the engine has fewer, or it is too small.';
  if (/unknown capability/i.test(text)) return 'Correct extra_capabilities.';

  return "See the engine's log.";
}
