import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

const ENGINE_SOCKET = '/var/run/docker.sock';

export type EngineProxy = Awaited<ReturnType<typeof startEngineProxy>>;

export interface EngineProxyOptions {
  /** Called with each request line before the engine sees it: `POST /containers/create?…`. */
  readonly onRequest?: (line: string) => unknown;
  /** Changes what the engine answers, without changing its length. */
  readonly answer?: (data: Buffer) => Buffer;
  /** A socket's path to listen on, in place of a TCP port. */
  readonly socket?: string;
}

/** The engine's answers as one that was started for the first time gives them: its bridge's gateway has no name. */
export function withoutGateway(data: Buffer): Buffer {
  return Buffer.from(data.toString('latin1').replaceAll('"Gateway"', '"Unnamed"'), 'latin1');
}

/** The real Docker engine on a TCP port of this machine, like a remote one, until the running test is over. */
export async function startEngineProxy({ onRequest, answer, socket }: EngineProxyOptions = {}) {
  const sockets = new Set<Socket>();
  const carried = new Map<Socket, string[]>();
  let frozen = false;
  const serve = (client: Socket) => {
    const engine = connect(ENGINE_SOCKET);
    for (const each of [client, engine]) {
      sockets.add(each);
      each.on('error', () => undefined);
      each.on('close', () => sockets.delete(each));
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
    engine.on('data', (data) => frozen || client.write(answer?.(data) ?? data));
    client.on('close', () => {
      carried.delete(client);
      engine.destroy();
    });
    engine.on('close', () => client.destroySoon());
  };
  const server = createServer({ allowHalfOpen: true }, serve);
  const listen = (port: number) =>
    once(socket === undefined ? server.listen(port, '127.0.0.1') : server.listen(socket), 'listening');
  await listen(0);
  const port = socket === undefined ? (server.address() as AddressInfo).port : 0;
  const cut = () => {
    server.close();
    for (const each of sockets) each.destroy();
  };
  onTestFinished(cut);
  return {
    /** For DOCKER_HOST. */
    url: socket === undefined ? `tcp://127.0.0.1:${port}` : `unix://${socket}`,
    /** Cuts every connection and accepts no new one. */
    cut,
    /** Accepts connections again, at the same address. */
    restore: () => listen(port),
    /** Cuts the connections that carried a matching request. */
    cutOnly: (request: RegExp) => {
      for (const [client, lines] of carried) if (lines.some((line) => request.test(line))) client.destroy();
    },
    /** How many clients are connected. */
    connections: () => carried.size,
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
