import type { Duplex } from 'node:stream';
import { NEVER } from '../../../base/clock.ts';
import { within } from '../../../base/deadline.ts';
import { shellText } from '../../../base/shell-text.ts';
import { type ContainerState, readMemory, readState, withLibrary } from '../../container/shell.ts';
import type { StopSignal } from '../../executor.ts';
import { demux, STDOUT } from '../engine/streams.ts';
import type { FileOwner } from './files.ts';

/**
 * A step's time after the interrupt that follows the agent's death, before the container ends: enough for Pulumi to write several checkpoints of 5 s each and free the stack's lock.
 */
export const ORPHAN_GRACE_SECONDS = 30;

/**
 * SIGPWR (signal(7)), which the engine sends to stop the main process. A step's `pkill` might send
 * SIGTERM.
 */
export const STOP_SIGNAL = 30;

/** Runs a main process's script, in bash if the image has it: dash has no wait with a limit. */
const MAIN_SHELL = 'command -v bash >/dev/null && exec bash --posix -c "$@"; exec sh -c "$@"';

/**
 * The container's process 1: a POSIX shell that obeys lines on its stdin and answers on its stdout,
 * `<id> <answer>` each. Run as `sh -c SCRIPT <environment file> <grace> <stop signal>`, for dash, bash and
 * busybox ash; uses only builtins, as a job could stop a helper that it waits for.
 *
 *   <id> signal <name> <leader>  signals the step that <leader> leads
 *   <id> state                   → the result of `state`
 *   <id> memory                  → the result of `memory`, or no
 *   <id> runs <process>          → yes or no
 *   <id> here                    shows that the agent is there
 *
 * It first prints `0 ready <uid> <gid>`. The agent holds its stdin, which ends when the agent dies:
 * everything that runs is then interrupted and, a little later, the container ends. The same
 * happens on STOP_SIGNAL, after a line `0 ending`.
 *
 * The kernel drops each signal from inside that process 1 doesn't handle, SIGKILL and SIGSTOP too
 * (pid_namespaces(7)).
 *
 * Steps write reports to the same stdout, each with an ID of its own.
 */
const MAIN_PROCESS_SCRIPT = withLibrary(shellText('./main.sh', import.meta.url));

/** The main process's command line. An orphaned step has `orphanGraceSeconds` to end. */
export function mainCommand(environmentFile: string, orphanGraceSeconds: number): string[] {
  const times = [orphanGraceSeconds, STOP_SIGNAL].map(String);
  return ['sh', '-c', MAIN_SHELL, 'sh', MAIN_PROCESS_SCRIPT, environmentFile, ...times];
}

/** For an answer; a healthy main process takes 1 ms. */
const ANSWER_MS = 5_000;

/** Between signs that the agent is there. */
const HERE_MS = 1_000;

/** Between bytes on a stream that would otherwise be idle: proxies cut idle ones, some after 30 s. */
export const KEEP_ALIVE_MS = 15_000;

/**
 * Characters kept of the main process's output besides answers, such as why it could not start.
 */
const OUTPUT_CHARACTERS = 2_000;

/**
 * Characters kept of an unfinished line. Answers are much shorter, but a step can write into the
 * stream too.
 */
const LINE_CHARACTERS = 200;

/** The main process accepts no more commands: the container has ended or is ending. */
export class ContainerEndedError extends Error {
  override readonly name = 'ContainerEndedError';
}

/** The agent's end of the main process (MAIN_PROCESS_SCRIPT). Owns the attached stream. */
export class MainProcess {
  readonly #stream: Duplex;
  readonly #ready = Promise.withResolvers<string>();
  readonly #waiting = new Map<number, (answer: string) => void>();
  readonly #ended = new AbortController();
  #isStopping = false;
  #lastRead = performance.now();
  #id = 0;
  #line = '';
  #output = '';

  /**
   * @param stream the container's attached stdin and output; attached before the container starts
   * @param keepAliveMs milliseconds between answers, without which a proxy can cut the stream
   */
  constructor(stream: Duplex, keepAliveMs = KEEP_ALIVE_MS) {
    this.#stream = stream;
    this.#waiting.set(0, this.#ready.resolve);
    void this.#listen(keepAliveMs);
    // docker-modem sends the call's options as a body, which an engine might take for input: this
    // ends that line.
    this.#write('\n');
  }

  /** True once the main process accepts no more commands; a running step was then interrupted. */
  get hasEnded(): boolean {
    return this.#ended.signal.aborted;
  }

  /** True if the main process says that it is being stopped. A job can say so as well. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Milliseconds since it was last heard of, which a healthy one is every KEEP_ALIVE_MS. */
  get silentMs(): number {
    return performance.now() - this.#lastRead;
  }

  /** The output of the main process besides answers. */
  get output(): string {
    return this.#output.trim();
  }

  /**
   * Resolves with the container's user once the main process accepts commands. Throws
   * ContainerEndedError if it ended instead, DeadlineError after `ms` milliseconds.
   */
  async ready(ms: number, signal: AbortSignal): Promise<FileOwner> {
    const answer = await this.#unlessEnded(this.#ready.promise, ms, signal);
    const [, uid = 0, gid = 0] = answer.split(' ').map(Number);
    return { uid, gid };
  }

  /**
   * Signals the step that `leader` leads. Unanswered: a job that blocks the answer would delay
   * harsher signals.
   */
  signal(name: StopSignal, leader: number): void {
    this.#write(`0 signal ${name.slice('SIG'.length)} ${leader}\n`);
  }

  /**
   * The container's state; undefined for a malformed answer, which comes from a step that found the
   * stream. Throws as `ready` does.
   */
  async state(signal: AbortSignal): Promise<ContainerState | undefined> {
    return readState(await this.#ask('state', signal));
  }

  /** The container's working set in bytes; undefined if unreadable. Throws as `ready` does. */
  async memory(signal: AbortSignal): Promise<number | undefined> {
    return readMemory(await this.#ask('memory', signal));
  }

  /** True while the process runs, by its number in the container. Throws as `ready` does. */
  async runs(process: number, signal: AbortSignal): Promise<boolean> {
    return (await this.#ask(`runs ${process}`, signal)) === 'yes';
  }

  /** Passes lines with the returned ID to `report`: a step's own. */
  listen(report: (text: string) => void): number {
    this.#id += 1;
    this.#waiting.set(this.#id, report);
    return this.#id;
  }

  /** Closes the stream, which ends the container. */
  close(): void {
    this.#stream.destroy();
  }

  async #ask(question: string, signal: AbortSignal): Promise<string> {
    this.#id += 1;
    const id = this.#id;
    const answer = Promise.withResolvers<string>();

    this.#waiting.set(id, answer.resolve);

    try {
      this.#write(`${id} ${question}\n`);
      return await this.#unlessEnded(answer.promise, ANSWER_MS, signal);
    } finally {
      this.#waiting.delete(id);
    }
  }

  #unlessEnded<T>(answer: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
    return within(ms, AbortSignal.any([signal, this.#ended.signal]), () => answer);
  }

  #end(): void {
    this.#ended.abort(new ContainerEndedError('the container has ended'));
  }

  #write(text: string): void {
    if (!this.#stream.destroyed && this.#stream.writable) this.#stream.write(text);
  }

  async #listen(keepAliveMs: number): Promise<void> {
    this.#stream.on('error', () => undefined);
    const presence = setInterval(() => this.#write('0 here\n'), HERE_MS);
    const ignore = () => undefined;
    const answers = setInterval(() => void this.state(NEVER).catch(ignore), keepAliveMs);
    try {
      await demux(this.#stream, (channel, piece) => {
        this.#lastRead = performance.now();
        if (channel === STDOUT) this.#read(piece.toString('latin1'));
        else this.#keep(piece.toString('utf8'));
      });
    } catch {
      // Cut or ended, the stream no longer reaches the container; nothing else matters.
    } finally {
      clearInterval(presence);
      clearInterval(answers);
      this.#end();
      this.#stream.destroy();
    }
  }

  #read(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = (lines.pop() ?? '').slice(0, LINE_CHARACTERS);

    for (const line of lines) {
      const [, id, answer] = /^(\d{1,9}) ([\w ]{1,100})$/.exec(line) ?? [];
      if (id === undefined || answer === undefined) this.#keep(`${line}\n`);
      else if (answer === 'ending') this.#isStopping = true;
      else this.#waiting.get(Number(id))?.(answer);
    }
  }

  #keep(text: string): void {
    this.#output = (this.#output + text).slice(0, OUTPUT_CHARACTERS);
  }
}
