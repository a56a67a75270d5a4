import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../outcome.ts';
import { fileRequest } from '../container/file-function.ts';
import { type ContainerState, readState } from '../container/state-function.ts';
import { DeadlineError, NEVER, within } from '../deadline.ts';
import { ContainerError, type ContainerFile, type StopSignal } from '../executor.ts';
import { Channel, type ChannelEnd, type ChannelOptions } from './channel.ts';
import { ControlQuestions } from './control-questions.ts';
import { CONTROL_FOLDER, CONTROL_SCRIPT } from './pod-scripts.ts';

/** Milliseconds for an answer while the stream stands; a healthy container takes some 20. */
const ANSWER_MS = 20_000;
/** Parts of the pod's lease: between two words that the agent lives; without an answer until a stream counts as dead. */
const BEAT = 1 / 10;
const SILENCE = 1 / 3;
/** Parts of the lease beyond its end, and the grace of what runs then, until nothing of the job can run any more. */
const MARGIN = 1 / 4;
/** Milliseconds between two tries to open the stream again. */
const RETRY_MS = 1_000;

/** The container is gone, or hasn't been heard of for longer than it runs without its agent. */
export class ControlLostError extends Error {
  override readonly name = 'ControlLostError';
}

export interface ControlOptions extends Pick<ChannelOptions, 'cluster' | 'pod' | 'container'> {
  /** Seconds without a word of the agent after which the pod ends itself. */
  readonly leaseSeconds: number;
  /** Seconds that what runs then gets. */
  readonly orphanGraceSeconds: number;
  /** True while the pod is there and runs; asked when the stream is cut. */
  readonly isAlive: () => Promise<boolean>;
  readonly onTrouble: (text: string) => void;
}

/**
 * The agent's line into the job's container (CONTROL_SCRIPT), opened again whenever it is cut for as long as the pod is there. What
 * was asked and not answered is asked again; the other end does nothing twice.
 */
export class Control {
  readonly #options: ControlOptions;
  readonly #questions = new ControlQuestions();
  readonly #over = new AbortController();
  /** No stream is opened any more. */
  readonly #ending = new AbortController();
  readonly #gone = Promise.withResolvers<never>();
  readonly #silent = new Set<() => void>();
  #beat: NodeJS.Timeout | undefined;
  #heardAt = 0;
  #openedAt = 0;
  #channel: Channel | undefined;

  constructor(options: ControlOptions) {
    this.#options = options;
    this.#gone.promise.catch(() => undefined);
  }

  /** Opens the stream for the first time and waits until the container obeys. Throws what stands in the way; it may be called again then. */
  async open(signal: AbortSignal): Promise<void> {
    const ready = this.#questions.ready();
    const channel = await this.#connect(signal);
    const ended = channel.end.then((end) => Promise.reject(notReady(end)));
    ended.catch(() => undefined);
    try {
      await within(ANSWER_MS, signal, () => Promise.race([ready, ended]));
    } catch (error) {
      channel.close();
      throw error;
    }
    this.#channel = channel;
    this.#openedAt = performance.now();
    this.#beat = setInterval(() => this.#look(), this.#options.leaseSeconds * 1000 * BEAT);
    void this.#follow(channel);
    this.#say();
  }

  /** Aborts when the container is gone, or hasn't been heard of for longer than it runs without its agent. */
  get lost(): AbortSignal {
    return this.#over.signal;
  }

  /**
   * Calls `listener` when a stream into the container answers nothing any more: others may be as dead, without being cut. Returns
   * what ends that.
   */
  onSilence(listener: () => void): () => void {
    this.#silent.add(listener);
    return () => this.#silent.delete(listener);
  }

  /** Puts a file into the container. False when one is there already, or can't be made. */
  async putFile(file: ContainerFile, signal: AbortSignal): Promise<boolean> {
    const request = fileRequest(file);
    return request !== undefined && (await this.#ask(request, signal)) === 'yes';
  }

  /** Signals the step that `leader` leads, once the stream stands. True when there was one. What wasn't sent when `signal` aborts never is. */
  async signal(name: StopSignal, leader: number, signal: AbortSignal): Promise<boolean> {
    return (await this.#ask(`signal ${name.slice('SIG'.length)} ${leader}`, signal)) === 'yes';
  }

  /** Keeps a step from beginning; false when it has begun. */
  async forbid(step: string, signal: AbortSignal): Promise<boolean> {
    return (await this.#ask(`forbid ${step}`, signal)) === 'yes';
  }

  /** Removes a finished step's output in the container. */
  async forget(step: string): Promise<void> {
    await this.#ask(`forget ${step}`);
  }

  async state(environmentFile: string, signal: AbortSignal): Promise<ContainerState> {
    const answer = await this.#ask(`state ${environmentFile}`, signal);
    return readState(answer) ?? { oomKills: 0, environmentChanged: true };
  }

  /** From here on the stream's end is no surprise, and it isn't opened again: the pod is about to go. */
  expectEnd(): void {
    this.#ending.abort();
  }

  /** Lets go of the stream and asks nothing more. */
  close(): void {
    this.#lose(new ControlLostError('the job was over'));
  }

  /** Answers come from the container itself: a stream may stand as far as the API server, and its node be gone. */
  #look(): void {
    const now = performance.now();
    const { leaseSeconds, orphanGraceSeconds } = this.#options;
    const leaseMs = leaseSeconds * 1000;
    const silentMs = now - this.#heardAt;
    if (silentMs > leaseMs * (1 + MARGIN) + orphanGraceSeconds * 1000) {
      this.#lose(new ControlLostError('the pod has not been heard of for longer than it runs without its agent'));
      return;
    }
    if (Math.min(silentMs, now - this.#openedAt) > leaseMs * SILENCE) {
      // Once for each stream.
      this.#openedAt = Number.POSITIVE_INFINITY;
      this.#channel?.close();
      for (const listener of this.#silent) listener();
    }
    this.#say();
  }

  #say(): void {
    void this.#ask('beat').catch(() => undefined);
  }

  #lose(reason: Error): void {
    clearInterval(this.#beat);
    this.#over.abort();
    this.#ending.abort();
    this.#gone.reject(reason);
    this.#channel?.close();
  }

  #connect(signal: AbortSignal): Promise<Channel> {
    this.#questions.startAnew();
    return Channel.open({
      ...this.#options,
      script: { code: CONTROL_SCRIPT, words: [CONTROL_FOLDER] },
      onOutput: (piece) => {
        this.#heardAt = performance.now();
        this.#questions.hear(piece.toString('latin1'));
      },
      onError: () => undefined,
      signal,
    });
  }

  /** Opens the stream again whenever it ends, for as long as there is a pod to open it to. */
  async #follow(first: Channel): Promise<void> {
    let channel = first;
    for (let told = false; ; told = true) {
      await channel.end;
      // What ends at once does so the next time too.
      if (performance.now() - this.#openedAt < RETRY_MS) await this.#pause();
      if (this.#ending.signal.aborted) return;
      if (!told) this.#options.onTrouble('The stream to the job is cut; the job goes on. Opening it again.');
      const next = await this.#again();
      if (next === undefined) return;
      channel = next;
      this.#channel = next;
      this.#openedAt = performance.now();
      for (const line of this.#questions.lines) channel.write(line);
    }
  }

  async #again(): Promise<Channel | undefined> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        if (await this.#options.isAlive().catch(() => true)) return await this.#connect(signal);
        this.#lose(new ControlLostError('the pod is gone'));
      } catch {
        await this.#pause();
      }
    }
    return undefined;
  }

  async #pause(): Promise<void> {
    await sleep(RETRY_MS, undefined, { signal: this.#ending.signal }).catch(() => undefined);
  }

  async #ask(question: string, signal: AbortSignal = NEVER): Promise<string> {
    if (this.lost.aborted) throw new ControlLostError('the pod is gone');
    signal.throwIfAborted();
    const asked = this.#questions.ask(question);
    try {
      this.#channel?.write(asked.line);
      // Without a deadline of its own while the stream is away: it comes back, or the pod is found gone.
      for (;;) {
        try {
          return await within(ANSWER_MS, signal, () => Promise.race([asked.answer, this.#gone.promise]));
        } catch (error) {
          if (!(error instanceof DeadlineError)) throw error;
          if (question === 'beat') throw error;
        }
      }
    } finally {
      this.#questions.drop(asked);
    }
  }
}

/** A stream that ended before the container had spoken. */
function notReady(end: ChannelEnd): Error {
  if ('cut' in end) return new Error(messageOf(end.cut), { cause: end.cut });
  return new ContainerError(
    `Failed to enter the pod for the job: its shell ended with exit code ${end.exitCode}${end.message === '' ? '' : `: ${end.message}`}. Use an image with a POSIX shell.`,
  );
}
