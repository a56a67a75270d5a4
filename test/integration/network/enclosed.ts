import { onTestFinished } from 'vitest';
import { Authority } from './authority.ts';
import { openPrivateNetwork } from './namespace.ts';
import { owned, tlsFront } from './servers.ts';
import { startTinyproxy } from './tinyproxy.ts';

/**
 * A network that has no way out but a proxy, as in a private subnet, and a private authority.
 * @param onEnd vitest's `onTestFinished` or `afterAll`: when both go
 */
export function enclosedNetwork(onEnd: (free: () => void) => void) {
  const network = openPrivateNetwork();
  onEnd(() => network.close());
  const authority = new Authority();
  onEnd(() => authority.remove());
  const { name, service, gateway } = network;
  // Where a host has no name, the proxy client of Azure's package checks for localhost.
  const identity = authority.issue({ names: `IP:${service},DNS:localhost` });
  return {
    name,
    /** An address of this machine that there is no way to from inside. */
    service,
    authority,
    /** Of servers at `service`. */
    identity,
    /** A proxy on the way out, with these further lines of configuration, until the running test is over. */
    proxy: async (...lines: readonly string[]) => {
      const proxy = await startTinyproxy({ host: gateway, lines });
      onTestFinished(() => proxy.stop());
      return proxy;
    },
    /** What serves plain HTTP at `url` as https at `service`, until the running test is over. Returns its URL. */
    https: async (url: string) => {
      const { port } = owned(await tlsFront({ host: service, identity, to: new URL(url) }));
      return `https://${service}:${port}`;
    },
  };
}
