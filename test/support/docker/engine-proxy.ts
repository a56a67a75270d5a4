import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

const ENGINE_SOCKET = '/var/run/docker.sock';

export type EngineProxy = Awaited<ReturnType<typeof startEngineProxy>>;

export interface EngineProxyOptions {
  /** Called with each request line before the engine sees it: `POST /containers/create?…`. */
  readonly onRequest?: (line: string) => unknown;
}

/** The real Docker engine on a TCP port of this machine, like a remote one, until the running test is over. */
export async function startEngineProxy({ onRequest }: EngineProxyOptions = {}) {
  const sockets = new Set<Socket>();
  const carried = new Map<Socket, string[]>();
  let frozen = false;
  const serve = (client: Socket) => {
    const engine = connect(ENGINE_SOCKET);
    for (const socket of [client, engine]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    const lines: string[] = [];
    carried.set(client, lines);
    client.on('data', (data) => {
      for (const [line] of data.toString('latin1').matchAll(/^(GET|HEAD|POST|PUT|DELETE) \S+/gm)) {
        lines.push(line);
        onRequest?.(line);
      }
    });
    client.on('data', (data) => frozen || engine.write(data));
    client.on('end', () => engine.end());
    engine.on('data', (data) => frozen || client.write(data));
    client.on('close', () => {
      carried.delete(client);
      engine.destroy();
    });
    engine.on('close', () => client.destroySoon());
  };
  const server: Server = createServer({ allowHalfOpen: true }, serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(cut);
  return {
    /** For DOCKER_HOST. */
    url: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Cuts every connection and accepts no new one. */
    cut,
    /** Cuts the connections that carried a matching request. */
    cutOnly: (request: RegExp) => {
      for (const [client, lines] of carried) if (lines.some((line) => request.test(line))) client.destroy();
    },
    /** Silently lets nothing more through. */
    freeze: () => {
      frozen = true;
    },
    /** Lets everything through again; what came meanwhile is lost. */
    thaw: () => {
      frozen = false;
    },
  };
}
