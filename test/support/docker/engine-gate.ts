import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const ENGINE_SOCKET = '/var/run/docker.sock';
const STREAM = /^POST \S*\/(exec\/\w+\/start|attach)/;

export type EngineGate = Awaited<ReturnType<typeof openEngineGate>>;

interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Requests that are refused, with a call for each. */
interface Failure {
  readonly request: RegExp;
  readonly answer: Refusal;
  readonly onRefused: () => void;
}

export interface EngineGateOptions {
  /** Called with each request line before the engine sees it: `POST /v1.41/containers/create?…`. */
  readonly onRequest?: (line: string) => unknown;
  /** As `onRequest`, and the engine sees nothing more of that client until the promise resolves. */
  readonly before?: (line: string) => Promise<unknown> | undefined;
  /** Answers a request in the engine's place, with its form of an error. */
  readonly refuse?: (line: string) => Refusal | undefined;
  /** Changes what the engine answers, without changing its length. */
  readonly answer?: (data: Buffer) => Buffer;
  /**
   * Cuts the stream of an exec or a container that has carried nothing in either direction for so many milliseconds, as
   * proxies do. A step's keep-alive goes to the engine.
   */
  readonly idleMs?: number;
  /** A socket's path to listen on, in place of a TCP port of this machine, like a remote engine's. */
  readonly socket?: string;
}

const DISK_FULL = { status: 500, message: 'mkdir /var/lib/docker/overlay2: no space left on device' };

/** Cuts a client whose time has passed, unless bytes arrived that this busy process has not read yet. */
function cutIfIdle(client: Socket): void {
  const carried = () => client.bytesRead + client.bytesWritten;
  const before = carried();
  setImmediate(() => {
    if (carried() === before) client.destroy();
  });
}

/** The real Docker engine behind a socket that can fail. The caller owns it and must call `cut`. */
export async function openEngineGate(options: EngineGateOptions = {}) {
  const { onRequest, before, refuse, answer, idleMs, socket } = options;
  const sockets = new Set<Socket>();
  const carried = new Map<Socket, string[]>();
  /** Data that a mute gate holds back, in order. */
  let held: (() => void)[] | undefined;
  let refusing = false;
  /** The requests that get an error for an answer. */
  let failing: Failure | undefined;
  const pass = (send: () => void) => {
    if (held === undefined) send();
    else held.push(send);
  };
  const serve = (client: Socket) => {
    if (refusing) return void client.destroy();
    const engine = connect(ENGINE_SOCKET);
    for (const each of [client, engine]) {
      sockets.add(each);
      each.on('error', () => undefined);
      each.on('close', () => sockets.delete(each));
    }
    const lines: string[] = [];
    carried.set(client, lines);
    let ready: Promise<unknown> | undefined;
    client.on('data', (data) => {
      for (const [line] of data.toString('latin1').matchAll(/^(GET|HEAD|POST|PUT|DELETE) \S+/gm)) {
        lines.push(line);
        // Calls may take long on a loaded machine.
        if (idleMs !== undefined && STREAM.test(line)) client.setTimeout(idleMs, () => cutIfIdle(client));
        onRequest?.(line);
        const due = before?.(line);
        if (due !== undefined) ready = Promise.all([ready, due]);
        const fails = failing?.request.test(line) === true ? failing : undefined;
        fails?.onRefused();
        const refused = fails?.answer ?? refuse?.(line);
        if (refused !== undefined) {
          const body = JSON.stringify({ message: refused.message });
          const head = `HTTP/1.1 ${refused.status} Refused\r\nContent-Type: application/json`;
          client.end(`${head}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
          return;
        }
      }
      const send = () => pass(() => engine.write(data));
      if (ready === undefined) send();
      else ready = ready.then(send);
    });
    client.on('end', () => pass(() => engine.end()));
    engine.on('data', (data) => pass(() => client.write(answer?.(data) ?? data)));
    client.on('close', () => {
      carried.delete(client);
      engine.destroy();
    });
    engine.on('close', () => pass(() => client.destroySoon()));
  };
  const server = createServer({ allowHalfOpen: true }, serve);
  const listen = (port: number) =>
    once(socket === undefined ? server.listen(port, '127.0.0.1') : server.listen(socket), 'listening');
  await listen(0);
  const port = socket === undefined ? (server.address() as AddressInfo).port : 0;
  const cutConnections = () => {
    for (const each of sockets) each.destroy();
  };
  const recover = () => {
    refusing = false;
    failing = undefined;
    const late = held ?? [];
    held = undefined;
    for (const send of late) send();
  };
  return {
    /** For DOCKER_HOST. */
    url: socket === undefined ? `tcp://127.0.0.1:${port}` : `unix://${socket}`,
    /** Cuts every connection and accepts no new one. */
    cut: () => {
      server.close();
      cutConnections();
    },
    /** Accepts connections again after a cut, at the same address. */
    restore: () => listen(port),
    /** How many clients are connected. */
    connections: () => carried.size,
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
    /** Answers matching requests with an error, by default as an engine on a full disk does, until `recover`. */
    fail: (
      request: RegExp,
      { answer = DISK_FULL, onRefused = () => undefined }: Partial<Omit<Failure, 'request'>> = {},
    ) => {
      failing = { request, answer, onRefused };
    },
    /** Silently lets nothing more through until `recover`. */
    freeze: () => {
      held ??= [];
    },
    /** Accepts connections again, and passes on what it held back. */
    recover,
    /** Lets through what it held back, and what comes next. */
    thaw: recover,
  };
}
