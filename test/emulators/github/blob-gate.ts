import { connect, createServer, type Socket } from 'node:net';

/** `open` passes bytes on, `stall` takes connections and bytes and moves none, `reset` resets every connection. */
export type GateMode = 'open' | 'stall' | 'reset';

/** A TCP forwarder in front of the blob store, to break transfers without touching the store. */
export interface BlobGate {
  readonly port: number;
  /** Takes effect on connections that are open, too. */
  set(mode: GateMode): void;
  close(): Promise<void>;
}

/** Starts a forwarder on loopback; `target` gives the port to connect to, once it is known. */
export async function startBlobGate(target: () => Promise<number>): Promise<BlobGate> {
  const sockets = new Set<Socket>();
  let mode: GateMode = 'open';
  const server = createServer(async (client) => {
    const track = (socket: Socket): void => {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => sockets.delete(socket));
    };
    track(client);
    if (mode === 'reset') return void client.resetAndDestroy();
    if (mode === 'stall') client.pause();
    const port = await target().catch(() => undefined);
    if (port === undefined || client.destroyed) return void client.destroy();
    const upstream = connect({ host: '127.0.0.1', port });
    track(upstream);
    upstream.once('close', () => client.destroy());
    client.once('close', () => upstream.destroy());
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (bytes) => {
        if (!to.write(bytes)) from.pause();
      });
      to.on('drain', () => {
        if (mode === 'open') from.resume();
      });
      from.once('end', () => to.end());
    }
    if (mode === 'stall') for (const socket of [client, upstream]) socket.pause();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('Failed to listen on loopback: no port was given.');
  return {
    port: address.port,
    set: (wanted) => {
      mode = wanted;
      for (const socket of sockets) {
        if (wanted === 'reset') socket.resetAndDestroy();
        else if (wanted === 'stall') socket.pause();
        else socket.resume();
      }
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
