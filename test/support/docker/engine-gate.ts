import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const ENGINE_SOCKET = '/var/run/docker.sock';

export type EngineGate = Awaited<ReturnType<typeof openEngineGate>>;

export interface EngineGateOptions {
  /** Called with each request line before the engine sees it: `POST /containers/create?…`. */
  readonly onRequest?: ((line: string) => unknown) | undefined;
  /** The path of a socket to listen on; by default a TCP port of this machine, like a remote engine's. */
  readonly socketPath?: string;
}

/** The real Docker engine behind a socket that can fail. The caller owns it and must call `cut`. */
export async function openEngineGate({ onRequest, socketPath }: EngineGateOptions = {}) {
  const sockets = new Set<Socket>();
  const carried = new Map<Socket, string[]>();
  /** Data that a mute gate holds back, in order. */
  let held: (() => void)[] | undefined;
  let refusing = false;
  const pass = (send: () => void) => {
    if (held === undefined) send();
    else held.push(send);
  };
  const serve = (client: Socket) => {
    if (refusing) return void client.destroy();
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
      pass(() => engine.write(data));
    });
    client.on('end', () => pass(() => engine.end()));
    engine.on('data', (data) => pass(() => client.write(data)));
    client.on('close', () => {
      carried.delete(client);
      engine.destroy();
    });
    engine.on('close', () => pass(() => client.destroySoon()));
  };
  const server = createServer({ allowHalfOpen: true }, serve);
  await new Promise<void>((resolve) => {
    if (socketPath === undefined) server.listen(0, '127.0.0.1', resolve);
    else server.listen(socketPath, resolve);
  });
  const cutConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    /** For DOCKER_HOST. */
    url:
      socketPath === undefined ? `tcp://127.0.0.1:${(server.address() as AddressInfo).port}` : `unix://${socketPath}`,
    /** Cuts every connection and accepts no new one. */
    cut: () => {
      server.close();
      cutConnections();
    },
    /** Cuts every connection, but accepts new ones. */
    cutConnections,
    /** Cuts the connections that carried a matching request. */
    cutOnly: (request: RegExp) => {
      for (const [client, lines] of carried) if (lines.some((line) => request.test(line))) client.destroy();
    },
    /** Refuses new connections until `recover`. */
    refuse: () => {
      refusing = true;
    },
    /** Silently lets nothing more through until `recover`. */
    freeze: () => {
      held ??= [];
    },
    /** Accepts connections again, and passes on what it held back. */
    recover: () => {
      refusing = false;
      const late = held ?? [];
      held = undefined;
      for (const send of late) send();
    },
  };
}
