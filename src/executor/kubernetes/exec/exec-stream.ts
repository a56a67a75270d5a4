import type { IncomingMessage } from 'node:http';
import { Exec, type KubeConfig, type V1Status } from '@kubernetes/client-node';
import { within } from '../../../base/deadline.ts';
import { readAtMost } from '../../../base/http-body.ts';
import { fieldsOf, parsedJson } from '../../../base/json.ts';
import { ContainerError } from '../../executor.ts';
import { oneLine } from '../../foreign-text.ts';
import type { Cluster } from '../cluster.ts';
import { ApiRefusedError, refusal } from '../errors.ts';
import { JOB_CONTAINER } from '../pod/pod.ts';

/** For the stream to open: enough for a busy kubelet. */
const OPEN_MS = 30_000;

/** Between pings, and without any answer until the stream counts as cut. */
const PING_MS = 10_000;
const SILENCE_MS = 30_000;

/** Stream numbers of Kubernetes' remotecommand protocol. */
const [STDIN, STDOUT, STDERR, STATUS] = [0, 1, 2, 3] as const;

/**
 * The protocols whose status stream is JSON, and tells the exit code; those before write plain text
 * (k8s.io/apimachinery, pkg/util/remotecommand).
 */
const PROTOCOLS: readonly string[] = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** POSIX shell code and its arguments (`$1`, `$2`, …). */
export interface PodScript {
  readonly code: string;
  readonly words: readonly string[];
}

/** The line that ends a script; the rest is the script's stdin. */
const END = '# end of script';

/**
 * The whole command of an exec request: reads a script from stdin up to END and evaluates it; exits
 * with 125 if END is missing. Kept short because nginx refuses requests over 8 KiB.
 */
const BOOTSTRAP = `runner_script= runner_line=
while IFS= read -r runner_line && [ "$runner_line" != '${END}' ]; do
runner_script=$runner_script$runner_line'
'
done
[ "$runner_line" = '${END}' ] || exit 125
eval "$runner_script"`;

/** Path and query of the request for a shell in a job's container: under 2 KiB for any script. */
export function execPath(namespace: string, pod: string): string {
  const streams = { stdin: 'true', stdout: 'true', stderr: 'true', tty: 'false' };
  const query = new URLSearchParams({ container: JOB_CONTAINER, ...streams });
  for (const word of ['sh', '-c', BOOTSTRAP]) query.append('command', word);
  return `/api/v1/namespaces/${namespace}/pods/${pod}/exec?${query}`;
}

/** The script as the first input of that shell. */
export function scriptInput({ code, words }: PodScript): string {
  return `set -- ${words.map(quoted).join(' ')}\n${code}\n${END}\n`;
}

/** `text` quoted as one word of shell code. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * How a stream ended: with the process's exit as the kubelet reports it, or cut, and the process
 * can still run.
 */
export type StreamEnd = { readonly exitCode: number; readonly message: string } | { readonly cut: unknown };

export interface ExecStreamOptions {
  readonly cluster: Cluster;
  readonly pod: string;
  /** Run by the process, a POSIX shell. */
  readonly script: PodScript;

  /**
   * Called with the process's output, in order. Reading pauses until the promise resolves; it must
   * not reject.
   */
  readonly onOutput: (piece: Buffer) => Promise<void> | void;

  /** Called with its standard error. */
  readonly onError: (piece: Buffer) => void;
  readonly signal: AbortSignal;
}

/** The part of the library's WebSocket (the `ws` package) that is used here. */
interface Socket {
  readonly readyState: number;
  readonly protocol: string;
  send(data: Buffer): void;
  close(): void;
  terminate(): void;
  pause(): void;
  resume(): void;
  ping(): void;
  on(event: 'close' | 'error' | 'pong' | 'message', listener: (argument: unknown) => void): void;
}

/** A process in a pod's container, connected by a stream through the API server (`pods/exec`). */
export class ExecStream {
  #socket: Socket | undefined;
  readonly #end = Promise.withResolvers<StreamEnd>();
  /**
   * Resolves when the process has ended and all its output is delivered, or when the stream was
   * cut. Never rejects.
   */
  readonly end = this.#end.promise;
  readonly #options: ExecStreamOptions;
  #watch: NodeJS.Timeout | undefined;
  #status: V1Status | undefined;
  /** What came in place of a status. */
  #unreadable: string | undefined;
  #delivery: Promise<void> = Promise.resolve();
  #undelivered = 0;
  #aliveAt = performance.now();

  /**
   * Starts the process; its output can begin before this resolves. If it throws, nothing of the
   * script was sent. Throws ContainerError if the other end speaks an old protocol.
   */
  static async open(options: ExecStreamOptions): Promise<ExecStream> {
    const { cluster, pod, script, signal } = options;
    const path = execPath(await cluster.namespace(), pod);
    const stream = new ExecStream(options);

    const open = async (config: KubeConfig) => {
      const refused: Refused = {};
      // Not its `exec`: it throws from the socket's event for a status that isn't JSON, and knows no back-pressure.
      const { handler } = new Exec(readingRefusals(config, refused));

      const connect = async () =>
        (await handler.connect(path, null, (number, piece) => {
          stream.#take(number, piece);
          return true;
        })) as unknown as Socket;

      try {
        return await within(OPEN_MS, signal, connect, (late) => late.terminate());
      } catch (error) {
        signal.throwIfAborted();
        throw await openError(error, options, refused);
      }
    };

    stream.#attach(await cluster.authenticated(open));
    stream.write(scriptInput(script));

    return stream;
  }

  private constructor(options: ExecStreamOptions) {
    this.#options = options;
  }

  #attach(socket: Socket): void {
    if (!PROTOCOLS.includes(socket.protocol)) {
      socket.terminate();
      throw new ContainerError(
        `Failed to enter the pod for the job: the API server, or a proxy in front of it, speaks ${socket.protocol || 'no protocol'} where ${PROTOCOLS.join(' or ')} is needed. Update it.`,
        { code: 'PRA-K8S-19' },
      );
    }

    this.#socket = socket;
    if (this.#undelivered > 0) socket.pause();
    if (this.#status !== undefined || this.#unreadable !== undefined) socket.close();
    socket.on('close', () => this.#closed(new Error('the stream through the API server was cut')));
    socket.on('error', (error) => this.#closed(error));
    for (const sign of ['pong', 'message'] as const)
      socket.on(sign, () => (this.#aliveAt = performance.now()));
    this.#watch = setInterval(() => this.#ping(), PING_MS);
  }

  /** Writes to the script's standard input. Does nothing if the stream is closed. */
  write(data: string | Buffer): void {
    if (this.#socket?.readyState !== 1) return;
    this.#socket.send(Buffer.concat([Buffer.from([STDIN]), Buffer.from(data)]));
  }

  /** Cuts the stream. The process can go on. */
  close(): void {
    this.#socket?.terminate();
  }

  /**
   * A stalled stream looks like a step without output; only the other end's pongs tell them apart.
   */
  #ping(): void {
    // Nothing is read while the sink is busy, not even pongs.
    if (this.#undelivered > 0) this.#aliveAt = performance.now();
    if (performance.now() - this.#aliveAt > SILENCE_MS) this.close();
    else if (this.#socket?.readyState === 1) this.#socket.ping();
  }

  #take(stream: number, piece: Buffer): void {
    if (piece.length === 0) return;
    if (stream === STDOUT) this.#deliver(piece);
    else if (stream === STDERR) this.#options.onError(piece);
    else if (stream === STATUS) {
      // An exception here would end the agent: the library calls this from the socket's event.
      const text = piece.toString('utf8');
      const status = parsedJson(text);
      if (typeof fieldsOf(status)['status'] === 'string') this.#status = status as V1Status;
      else this.#unreadable ??= text;
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
      const why = this.#unreadable;
      if (status === undefined)
        this.#end.resolve({
          cut: why === undefined ? cause : new Error(`the exec's status can't be read: ${oneLine(why)}`),
        });
      else this.#end.resolve({ exitCode: exitCodeOf(status), message: status.message ?? '' });
    });
  }
}

/**
 * The exit code from the status stream (remotecommand v4: `NonZeroExitCode`); 126 if the process
 * never started.
 */
function exitCodeOf(status: V1Status): number {
  if (status.status === 'Success') return 0;
  const { causes } = fieldsOf(status.details);
  const cause = Array.isArray(causes) ? causes.map(fieldsOf).find(({ reason }) => reason === 'ExitCode') : {};
  return Number(cause?.['message'] ?? 126);
}

/** Converts the library's error if no stream opens: an event with an error, or the refusal that was read. */
async function openError(error: unknown, { cluster }: ExecStreamOptions, refused: Refused): Promise<unknown> {
  const text =
    error instanceof Error ? error.message : String((error as { message?: unknown }).message ?? error);
  const { status, body = '' } = refused;
  if (status === undefined) return error instanceof Error ? error : new Error(text);

  const subject = { verb: 'get', resource: 'pods/exec', namespace: await cluster.namespace() };
  const refusedError = refusal(status, body, subject);
  // The kubelet's 404 for a pod that is gone has no reason either (getExec in its pkg/kubelet/server/server.go).
  if (status === 404 && body.trim() === 'pod does not exist')
    return new ApiRefusedError(status, { reason: 'NotFound', message: refusedError.message, subject });
  if (status !== 403 || body !== '') return refusedError;

  const message = 'this account cannot get resource "pods/exec"';
  return new ApiRefusedError(status, { reason: '', message, subject });
}

/** The answer in place of a stream: its HTTP status and its body, as far as it could be read. */
interface Refused {
  status?: number;
  body?: string;
}

/** The most of such a body, and the most time for it. */
const BODY_BYTES = 64 * 1024;
const BODY_MS = 5_000;

/** The socket that the `ws` package gives the option `finishRequest`: it drops a refusal's body without a listener. */
interface OpeningSocket {
  on(event: 'unexpected-response', listener: (request: unknown, response: IncomingMessage) => void): void;
  terminate(): void;
}

/** The configuration with an option that notes in `refused` how the API server refuses a stream. */
function readingRefusals(config: KubeConfig, refused: Refused): KubeConfig {
  const watched: KubeConfig = Object.create(config);

  watched.applyToHTTPSOptions = async (options) => {
    await config.applyToHTTPSOptions(options);

    Object.assign(options, {
      finishRequest: (request: { end(): void }, socket: OpeningSocket) => {
        socket.on('unexpected-response', (_, response) => {
          const cut = setTimeout(() => response.destroy(), BODY_MS);
          refused.status = response.statusCode ?? 0;

          void readAtMost(response, BODY_BYTES)
            .catch(() => undefined)
            .then((body) => {
              clearTimeout(cut);
              refused.body = body?.toString('utf8') ?? '';
              socket.terminate();
            });
        });
        request.end();
      },
    });
  };

  return watched;
}
