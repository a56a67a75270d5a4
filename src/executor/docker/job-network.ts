import { NEVER } from '../deadline.ts';
import type { ContainerSpec } from '../executor.ts';
import type { Engine } from './engine.ts';
import type { Containment } from './host-config.ts';
import { METADATA_ADDRESSES, nameServerNextDoor } from './metadata.ts';
import { makeNetwork, removeNetwork } from './network.ts';

/** The network that a job's container is on. */
export interface JobNetwork {
  readonly name: string;
  /** Resolves when a container can be started on it. Throws ContainerError. */
  readonly ready: Promise<void>;
  /** The metadata services' addresses, which the container is to have itself, so that nothing else is reached there. */
  readonly blocked: readonly string[];
  /** Why nothing is blocked although it should be, as sentences for the job's log. */
  warning(): Promise<string | undefined>;
  /** Removes what was made for this job alone; the container must be gone. Throws ContainerError after `ms` milliseconds. */
  remove(ms: number): Promise<void>;
}

/** What to do about a metadata address that is open. */
const ADVICE = 'Block it on the host if jobs must not have the credentials of the machine; docs/security.md tells how.';

/**
 * Begins to make the container's own network, called `name`, unless the configuration names another. It is made while the image is
 * looked for and the container is made, and not before the claim: an agent that waits would hold one of the few that an engine has.
 */
export async function openJobNetwork(
  engine: Engine,
  name: string,
  { labels }: Pick<ContainerSpec, 'labels'>,
  { network: given, allowMetadata = false, dnsServers = [] }: Containment,
): Promise<JobNetwork> {
  if (given !== undefined) {
    const open = !allowMetadata && given !== 'none';
    return {
      name: given,
      ready: Promise.resolve(),
      blocked: [],
      warning: async () => (open ? openAt(`the container is on network ${given}, which isn't its own`) : undefined),
      remove: () => Promise.resolve(),
    };
  }
  const ready = makeNetwork(engine, name, labels);
  // Whoever starts the container is told.
  ready.catch(() => undefined);
  const server = allowMetadata || dnsServers.length > 0 ? undefined : await nameServerNextDoor(await engine.endpoint());
  const blocked = allowMetadata || server !== undefined ? [] : METADATA_ADDRESSES;
  // Asked meanwhile. An engine that can't be asked is found out by the calls that matter.
  const podman = blocked.length === 0 ? false : isPodman(engine).catch(() => false);
  return {
    name,
    ready,
    blocked,
    warning: async () => {
      if (server !== undefined)
        return `${openAt(`name server ${server} of this host would be out of reach with it`)} Or set dns_servers to others.`;
      return (await podman) ? openAt("Podman doesn't give the container that address") : undefined;
    },
    remove: async (ms) => {
      await ready.catch(() => undefined);
      await removeNetwork(engine, name, { ms });
    },
  };
}

/** Podman's Docker API takes link-local addresses for a container and makes nothing of them (seen with 4.3). */
async function isPodman(engine: Engine): Promise<boolean> {
  const { server } = await engine.ping({ signal: NEVER });
  return String(server).startsWith('Libpod');
}

/** The sentences for an address that stays open for a reason. */
function openAt(reason: string): string {
  return `The cloud's metadata address ${METADATA_ADDRESSES[0]} is not blocked: ${reason}. ${ADVICE}`;
}
