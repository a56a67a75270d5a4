import type { V1Status } from '@kubernetes/client-node';
import { within } from '../deadline.ts';
import { isAllowed } from './access.ts';
import { WebSocketHandler } from './client.ts';
import type { Cluster } from './cluster.ts';
import { ApiRefusedError } from './errors.ts';
import { execPath, type PodScript, scriptInput } from './exec-request.ts';

/** Milliseconds for the stream to open; a loaded kubelet still makes it. */
const OPEN_MS = 30_000;
/** Milliseconds between two signs of life that are asked of the other end, and until a missing one counts as a cut. */
const PING_MS = 10_000;
const SILENCE_MS = 30_000;
/** The remotecommand protocol's streams, as Kubernetes numbers them. */
const [STDIN, STDOUT, STDERR, STATUS] = [0, 1, 2, 3] as const;

/** How a channel ended: with what the kubelet says of the process, or cut, when nothing is known of it. */
export type ChannelEnd = { readonly exitCode: number; readonly message: string } | { readonly cut: unknown };

export interface ChannelOptions {
  readonly cluster: Cluster;
  readonly pod: string;
  readonly container: string;
  /** What the process is, a POSIX shell. */
  readonly script: PodScript;
  /** Bytes of the process's output, in order. Nothing more is read until the promise resolves. */
  readonly onOutput: (piece: Buffer) => Promise<void> | void;
  /** Bytes of its standard error. */
  readonly onError: (piece: Buffer) => void;
  readonly signal: AbortSignal;
}

/** What the library's WebSocket can, as far as it is needed here (the `ws` package). */
interface Socket {
  readonly readyState: number;
  send(data: Buffer): void;
  close(): void;
  terminate(): void;
  pause(): void;
  resume(): void;
  ping(): void;
  on(event: 'close' | 'error' | 'pong' | 'message', listener: (argument: unknown) => void): void;
}

/** A process in a container of the cluster, over a stream through the API server (`pods/exec`). */
export class Channel {
  readonly #socket: Socket;
  readonly #end = Promise.withResolvers<ChannelEnd>();
  readonly #options: ChannelOptions;
  readonly #watch: NodeJS.Timeout;
  #status: V1Status | undefined;
  #delivery: Promise<void> = Promise.resolve();
  #undelivered = 0;
  #heardAt = performance.now();
  #failure: unknown;

  /**
   * Starts the process. Throws what stood in the way; whether the process was started is not known then.
   * The output may begin before this resolves.
   */
  static async open(options: ChannelOptions): Promise<Channel> {
    const { cluster, pod, container, script, signal } = options;
    const path = execPath(await cluster.namespace(), pod, container);
    const handler = new WebSocketHandler(await cluster.config());
    let channel: Channel | undefined;
    const early: [number, Buffer][] = [];
    const connect = async () =>
      (await handler.connect(path, null, (stream, piece) => {
        if (channel === undefined) early.push([stream, piece]);
        else channel.#take(stream, piece);
        return true;
      })) as unknown as Socket;
    let socket: Socket;
    try {
      socket = await within(OPEN_MS, signal, connect, (late) => late.terminate());
    } catch (error) {
      signal.throwIfAborted();
      throw await openError(error, options);
    }
    channel = new Channel(socket, options);
    for (const [stream, piece] of early) channel.#take(stream, piece);
    channel.write(scriptInput(script));
    return channel;
  }

  private constructor(socket: Socket, options: ChannelOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on('close', () => this.#closed(new Error('the stream through the API server was cut')));
    socket.on('error', (error) => this.#closed(error));
    socket.on('pong', () => this.#hear());
    socket.on('message', () => this.#hear());
    this.#watch = setInterval(() => this.#look(), PING_MS);
  }

  /** Resolves once when the process has ended and all its output is delivered, or when the stream was cut; never rejects. */
  get end(): Promise<ChannelEnd> {
    return this.#end.promise;
  }

  /** Writes to the script's standard input. Nothing happens when the stream is gone. */
  write(data: string | Buffer): void {
    if (this.#socket.readyState !== 1) return;
    this.#socket.send(Buffer.concat([Buffer.from([STDIN]), Buffer.from(data)]));
  }

  /** Cuts the stream. What becomes of the process is its own affair. */
  close(): void {
    this.#socket.terminate();
  }

  #hear(): void {
    this.#heardAt = performance.now();
  }

  /** A stream that is held reads like a silent step; the other end's answers tell them apart. */
  #look(): void {
    // While the sink is what we wait for nothing is read, the answers neither.
    if (this.#undelivered > 0) this.#hear();
    if (performance.now() - this.#heardAt > SILENCE_MS) this.#socket.terminate();
    else if (this.#socket.readyState === 1) this.#socket.ping();
  }

  #take(stream: number, piece: Buffer): void {
    if (piece.length === 0) return;
    if (stream === STDOUT) this.#deliver(piece);
    else if (stream === STDERR) this.#options.onError(piece);
    else if (stream === STATUS) {
      this.#status = JSON.parse(piece.toString('utf8')) as V1Status;
      this.#socket.close();
    }
  }

  #deliver(piece: Buffer): void {
    this.#undelivered += 1;
    if (this.#undelivered === 1) this.#socket.pause();
    this.#delivery = this.#delivery.then(async () => {
      try {
        if (this.#failure === undefined) await this.#options.onOutput(piece);
      } catch (error) {
        this.#failure = error;
      } finally {
        this.#undelivered -= 1;
        if (this.#undelivered === 0) this.#socket.resume();
      }
    });
  }

  #closed(cause: unknown): void {
    clearInterval(this.#watch);
    void this.#delivery.then(() => {
      const status = this.#status;
      if (this.#failure !== undefined) this.#end.resolve({ cut: this.#failure });
      else if (status === undefined) this.#end.resolve({ cut: cause });
      else this.#end.resolve({ exitCode: exitCodeOf(status), message: status.message ?? '' });
    });
  }
}

/** The exit code in the status channel's answer (remotecommand v4: `NonZeroExitCode`); 126 where the process never began. */
function exitCodeOf(status: V1Status): number {
  if (status.status === 'Success') return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  return cause?.message === undefined ? 126 : Number(cause.message);
}

/** What the library throws when no stream came about: an event with the error in it, whose text holds the HTTP status. */
async function openError(error: unknown, { cluster, pod, signal }: ChannelOptions): Promise<unknown> {
  const text = error instanceof Error ? error.message : String((error as { message?: unknown }).message ?? error);
  const [, status] = /Unexpected server response: (\d{3})/.exec(text) ?? [];
  if (status === undefined) return error instanceof Error ? error : new Error(text);
  // The next stream takes the credentials as they are then.
  if (status === '401') cluster.close();
  const verb = status === '403' ? await missingVerb(cluster, signal) : 'get';
  const subject = { verb, resource: 'pods/exec', namespace: await cluster.namespace(), name: pod } as const;
  const message = status === '403' ? `this account cannot ${verb} resource "pods/exec"` : text;
  return new ApiRefusedError(Number(status), { reason: '', message, subject });
}

/** What a refused stream lacks, as its answer can't be read: WebSockets are asked for with GET; from Kubernetes 1.35 on `create` is checked too. */
async function missingVerb(cluster: Cluster, signal: AbortSignal): Promise<'get' | 'create'> {
  const mayGet = isAllowed(cluster, { resource: 'pods/exec', verb: 'get', signal });
  return (await mayGet.catch(() => true)) ? 'create' : 'get';
}
