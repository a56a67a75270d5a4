import type { Duplex } from 'node:stream';
import { fileRequest } from '../container/file-function.ts';
import { type ContainerState, readState } from '../container/state-function.ts';
import { NEVER, within } from '../deadline.ts';
import type { ContainerFile, StopSignal } from '../executor.ts';
import { demux, STDOUT } from './demux.ts';

/** Milliseconds for an answer; a healthy keeper takes one. */
const ANSWER_MS = 5_000;
/** What is kept of a main process that could not even begin. */
const COMPLAINT_BYTES = 2_000;
/** Answers are tens of characters long. A step may write into the stream too; what it writes is dropped. */
const LINE_CHARACTERS = 200;
/** `read` takes its line byte by byte: what is longer goes into the container as an archive. */
const FILE_BYTES = 32 * 1024;

/** The keeper is gone, and the container with it. */
export class KeeperGoneError extends Error {
  override readonly name = 'KeeperGoneError';
}

/** The agent's end of the container's main process (see KEEPER_SCRIPT). Owns the attached stream. */
export class Keeper {
  readonly #stream: Duplex;
  readonly #ready = Promise.withResolvers<string>();
  readonly #waiting = new Map<number, (answer: string) => void>();
  readonly #gone = new AbortController();
  /** Resolves when it takes no more orders. */
  readonly #deaf = Promise.withResolvers<void>();
  /** Resolves, and never rejects, when the stream has ended: the main process is over or the connection to it. */
  readonly ended: Promise<void>;
  #isStopping = false;
  #id = 0;
  #line = '';
  #complaint = '';

  /** @param stream the container's attached stdin and output; attached before the container starts */
  constructor(stream: Duplex) {
    this.#stream = stream;
    this.#waiting.set(0, this.#ready.resolve);
    this.ended = this.#listen();
    // docker-modem sends the call's options as a body that an engine might take for input: this ends such a line.
    this.#write('\n');
  }

  /** It takes no more orders, and whatever runs has been interrupted. */
  get isGone(): boolean {
    return this.#gone.signal.aborted || this.#isStopping;
  }

  /** The engine told it to end: the container is being stopped, or the engine itself. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** What a main process that didn't begin left on its output. */
  get complaint(): string {
    return this.#complaint.trim();
  }

  /** Resolves when the main process obeys. Throws KeeperGoneError when it ended instead, DeadlineError after `ms`. */
  async ready(ms: number, signal: AbortSignal): Promise<void> {
    await this.#answer(this.#ready.promise, ms, signal);
  }

  /**
   * Puts a file into the container, as the image's user; may be asked for before the container starts. False when the keeper
   * can't: then it needs an archive.
   */
  async putFile(file: ContainerFile, ms: number, signal: AbortSignal): Promise<boolean> {
    const request = fileRequest(file);
    if (request === undefined || (file.mode & ~0o666) !== 0 || Buffer.byteLength(file.content) > FILE_BYTES)
      return false;
    return (await this.#ask(request, ms, signal)) === 'yes';
  }

  /** Signals the step that `leader` leads. True when there was one. Throws as `ready` does. */
  async signal(name: StopSignal, leader: number): Promise<boolean> {
    return (await this.#ask(`signal ${name.slice('SIG'.length)} ${leader}`, ANSWER_MS, NEVER)) === 'yes';
  }

  /** Throws as `ready` does. */
  async state(signal: AbortSignal): Promise<ContainerState> {
    // An answer that makes no sense comes from a step that found the stream: then the file is looked at.
    const state = readState(await this.#ask('state', ANSWER_MS, signal));
    return state ?? { oomKills: 0, environmentChanged: true };
  }

  /** Lets go of the stream; the engine then ends the container. */
  close(): void {
    this.#stream.destroy();
  }

  async #ask(question: string, ms: number, signal: AbortSignal): Promise<string> {
    this.#id += 1;
    const id = this.#id;
    const answer = Promise.withResolvers<string>();
    this.#waiting.set(id, answer.resolve);
    try {
      this.#write(`${id} ${question}\n`);
      return await this.#answer(answer.promise, ms, signal);
    } finally {
      this.#waiting.delete(id);
    }
  }

  async #answer<T>(answer: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
    const gone = () => new KeeperGoneError('the container has ended');
    if (this.isGone) throw gone();
    return within(ms, signal, () => Promise.race([answer, this.#deaf.promise.then(() => Promise.reject(gone()))]));
  }

  #write(text: string): void {
    if (!this.#stream.destroyed && this.#stream.writable) this.#stream.write(text);
  }

  async #listen(): Promise<void> {
    this.#stream.on('error', () => undefined);
    try {
      await demux(this.#stream, (channel, piece) => {
        if (channel === STDOUT) this.#hear(piece.toString('latin1'));
        else this.#complain(piece.toString('utf8'));
      });
    } catch {
      // Cut or ended: the container can't be reached through this stream any more, which is all that counts.
    } finally {
      this.#gone.abort();
      this.#deaf.resolve();
      this.#stream.destroy();
    }
  }

  #hear(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = (lines.pop() ?? '').slice(0, LINE_CHARACTERS);
    for (const line of lines) {
      const [, id, answer] = /^(\d{1,9}) ([\w ]{1,100})$/.exec(line) ?? [];
      if (id === undefined || answer === undefined) this.#complain(`${line}\n`);
      else if (answer === 'ending') {
        this.#isStopping = true;
        this.#deaf.resolve();
      } else this.#waiting.get(Number(id))?.(answer);
    }
  }

  #complain(text: string): void {
    this.#complaint = (this.#complaint + text).slice(0, COMPLAINT_BYTES);
  }
}
