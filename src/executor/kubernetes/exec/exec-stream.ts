import type { V1Status } from '@kubernetes/client-node';
// The client's index lacks its WebSocketHandler, so it comes from its own file.
import { WebSocketHandler } from '@kubernetes/client-node/dist/web-socket-handler.js';
import { within } from '../../deadline.ts';
import type { Cluster } from '../cluster.ts';
import { ApiRefusedError } from '../errors.ts';
import { JOB_CONTAINER } from '../pod/pod.ts';

/** Milliseconds for the stream to open; a loaded kubelet still makes it. */
const OPEN_MS = 30_000;
/** Milliseconds between two signs of life that are asked of the other end, and until a missing one counts as a cut. */
const PING_MS = 10_000;
const SILENCE_MS = 30_000;
/** The remotecommand protocol's streams, as Kubernetes numbers them. */
const [STDIN, STDOUT, STDERR, STATUS] = [0, 1, 2, 3] as const;

/** POSIX shell code, and the words that it finds as `$1`, `$2`, …. */
export interface PodScript {
  readonly code: string;
  readonly words: readonly string[];
}

/** The line behind a script: what comes after it is the script's own to read. */
const END = '# end of script';

/** All that an exec request says: reads a script from stdin, to the line that ends it, and becomes that; exit code 125 without that line. nginx refuses requests beyond 8 KiB. */
const BOOTSTRAP = `runner_script= runner_line=
while IFS= read -r runner_line && [ "$runner_line" != '${END}' ]; do
runner_script=$runner_script$runner_line'
'
done
[ "$runner_line" = '${END}' ] || exit 125
eval "$runner_script"`;

/** Path and query of the request that starts a shell in a job's container: under 2 KiB, whatever the shell is to do. */
export function execPath(namespace: string, pod: string): string {
  const streams = { stdin: 'true', stdout: 'true', stderr: 'true', tty: 'false' };
  const query = new URLSearchParams({ container: JOB_CONTAINER, ...streams });
  for (const word of ['sh', '-c', BOOTSTRAP]) query.append('command', word);
  return `/api/v1/namespaces/${namespace}/pods/${pod}/exec?${query}`;
}

/** What that shell is to have on its stdin first. */
export function scriptInput({ code, words }: PodScript): string {
  return `set -- ${words.map(quoted).join(' ')}\n${code}\n${END}\n`;
}

/** Text as one word of shell code. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** How a stream ended: with what the kubelet says of the process, or cut, when nothing is known of it. */
export type StreamEnd = { readonly exitCode: number; readonly message: string } | { readonly cut: unknown };

export interface ExecStreamOptions {
  readonly cluster: Cluster;
  readonly pod: string;
  /** What the process is, a POSIX shell. */
  readonly script: PodScript;
  /** Bytes of the process's output, in order. Nothing more is read until the promise resolves; it must not reject. */
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
export class ExecStream {
  #socket: Socket | undefined;
  readonly #end = Promise.withResolvers<StreamEnd>();
  readonly #options: ExecStreamOptions;
  #watch: NodeJS.Timeout | undefined;
  #status: V1Status | undefined;
  #delivery: Promise<void> = Promise.resolve();
  #undelivered = 0;
  #aliveAt = performance.now();

  /** Starts the process, whose output may begin before this resolves. Throws what stood in the way; nothing of the script was sent then. */
  static async open(options: ExecStreamOptions): Promise<ExecStream> {
    const { cluster, pod, script, signal } = options;
    const path = execPath(await cluster.namespace(), pod);
    const handler = new WebSocketHandler(await cluster.config());
    const stream = new ExecStream(options);
    const connect = async () =>
      (await handler.connect(path, null, (number, piece) => {
        stream.#take(number, piece);
        return true;
      })) as unknown as Socket;
    try {
      stream.#attach(await within(OPEN_MS, signal, connect, (late) => late.terminate()));
    } catch (error) {
      signal.throwIfAborted();
      throw await openError(error, options);
    }
    stream.write(scriptInput(script));
    return stream;
  }

  private constructor(options: ExecStreamOptions) {
    this.#options = options;
  }

  #attach(socket: Socket): void {
    this.#socket = socket;
    if (this.#undelivered > 0) socket.pause();
    if (this.#status !== undefined) socket.close();
    socket.on('close', () => this.#closed(new Error('the stream through the API server was cut')));
    socket.on('error', (error) => this.#closed(error));
    for (const sign of ['pong', 'message'] as const) socket.on(sign, () => (this.#aliveAt = performance.now()));
    this.#watch = setInterval(() => this.#ping(), PING_MS);
  }

  /** Resolves once when the process has ended and all its output is delivered, or when the stream was cut; never rejects. */
  get end(): Promise<StreamEnd> {
    return this.#end.promise;
  }

  /** Writes to the script's standard input. Nothing happens when the stream is gone. */
  write(data: string | Buffer): void {
    if (this.#socket?.readyState !== 1) return;
    this.#socket.send(Buffer.concat([Buffer.from([STDIN]), Buffer.from(data)]));
  }

  /** Cuts the stream. What becomes of the process is its own affair. */
  close(): void {
    this.#socket?.terminate();
  }

  /** A stream that is held reads like a silent step; the other end's answers tell them apart. */
  #ping(): void {
    // While the sink is what we wait for nothing is read, the answers neither.
    if (this.#undelivered > 0) this.#aliveAt = performance.now();
    if (performance.now() - this.#aliveAt > SILENCE_MS) this.close();
    else if (this.#socket?.readyState === 1) this.#socket.ping();
  }

  #take(stream: number, piece: Buffer): void {
    if (piece.length === 0) return;
    if (stream === STDOUT) this.#deliver(piece);
    else if (stream === STDERR) this.#options.onError(piece);
    else if (stream === STATUS) {
      this.#status = JSON.parse(piece.toString('utf8')) as V1Status;
      this.#socket?.close();
    }
  }

  #deliver(piece: Buffer): void {
    this.#undelivered += 1;
    this.#socket?.pause();
    this.#delivery = this.#delivery
      .then(() => this.#options.onOutput(piece))
      .finally(() => {
        this.#undelivered -= 1;
        if (this.#undelivered === 0) this.#socket?.resume();
      });
  }

  #closed(cause: unknown): void {
    clearInterval(this.#watch);
    void this.#delivery.then(() => {
      const status = this.#status;
      if (status === undefined) this.#end.resolve({ cut: cause });
      else this.#end.resolve({ exitCode: exitCodeOf(status), message: status.message ?? '' });
    });
  }
}

/** The exit code in the status stream's answer (remotecommand v4: `NonZeroExitCode`); 126 where the process never began. */
function exitCodeOf(status: V1Status): number {
  if (status.status === 'Success') return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  return cause?.message === undefined ? 126 : Number(cause.message);
}

/** Reads what the library throws when no stream came about: an event with an error, whose text holds the HTTP status. */
async function openError(error: unknown, { cluster }: ExecStreamOptions): Promise<unknown> {
  const text = error instanceof Error ? error.message : String((error as { message?: unknown }).message ?? error);
  const [, status] = /Unexpected server response: (\d{3})/.exec(text) ?? [];
  if (status === undefined) return error instanceof Error ? error : new Error(text);
  const subject = { verb: 'get', resource: 'pods/exec', namespace: await cluster.namespace() };
  // The answer's text can't be read: these two are the API server's own.
  const message = status === '403' ? 'this account cannot get resource "pods/exec"' : text;
  return new ApiRefusedError(Number(status), { reason: status === '404' ? 'NotFound' : '', message, subject });
}
