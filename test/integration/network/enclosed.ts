import { onTestFinished } from 'vitest';
import { Authority } from './authority.ts';
import { openPrivateNetwork } from './namespace.ts';
import { owned, tlsFront } from './servers.ts';
import { startTinyproxy } from './tinyproxy.ts';

/**
 * A network whose only way out is a proxy, as in a private subnet, and a private authority.
 * @param onEnd vitest's `onTestFinished` or `afterAll`: when to remove both
 */
export function enclosedNetwork(onEnd: (free: () => void) => void) {
  const network = openPrivateNetwork();
  onEnd(() => network.close());
  const authority = new Authority();
  onEnd(() => authority.remove());
  const { name, service, gateway } = network;
  // For a host without a name, the proxy client of Azure's package checks for localhost.
  const identity = authority.issue({ names: `IP:${service},DNS:localhost` });
  return {
    name,
    /** An address of this machine that can't be reached from inside. */
    service,
    authority,
    /** The identity of servers at `service`. */
    identity,
    /** A proxy that leads out, with these extra lines of configuration, until the running test is over. */
    proxy: async (...lines: readonly string[]) => {
      const proxy = await startTinyproxy({ host: gateway, lines });
      onTestFinished(() => proxy.stop());
      return proxy;
    },
    /** Serves the plain HTTP of `url` as https at `service`, until the running test is over. Returns its URL. */
    https: async (url: string) => {
      const { port } = owned(await tlsFront({ host: service, identity, to: new URL(url) }));
      return `https://${service}:${port}`;
    },
  };
}
