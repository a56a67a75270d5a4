import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type ApiProxy = Awaited<ReturnType<typeof startApiProxy>>;

/** A proxy to the API server that a test can break. */
export async function startApiProxy(kubeconfig: string) {
  const server = new URL(/server: "([^"]+)"/.exec(readFileSync(kubeconfig, 'utf8'))?.[1] ?? '');
  const pairs = new Set<readonly [Socket, Socket]>();
  let refusing = false;
  const listener = createServer((client) => {
    if (refusing) {
      client.destroy();
      return;
    }
    const api = connect(Number(server.port), server.hostname);
    const pair = [client, api] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
    client.pipe(api);
    api.pipe(client);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  return {
    /** Replaces the API server's own address in a kubeconfig. */
    address: `https://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    /** Cuts every connection; new ones are accepted. */
    cut,
    /** Silently lets nothing more through on the open connections. */
    hold: () => {
      for (const [client, api] of pairs) {
        client.unpipe(api);
        api.unpipe(client);
        for (const socket of [client, api]) socket.pause();
      }
    },
    /** Cuts every connection and refuses new ones, until `open` is called. */
    refuse: () => {
      refusing = true;
      cut();
    },
    open: () => {
      refusing = false;
    },
    close: async () => {
      cut();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
