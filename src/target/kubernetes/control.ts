import { setTimeout as sleep } from 'node:timers/promises';
import { DeadlineError, NEVER, within } from '../deadline.ts';
import { fileRequest } from '../shell/file-function.ts';
import { type ContainerState, readState } from '../shell/state-function.ts';
import type { ContainerFile, StopSignal } from '../target.ts';
import { Channel, type ChannelOptions } from './channel.ts';
import { CONTROL_FOLDER, CONTROL_SCRIPT } from './pod-scripts.ts';

/** Milliseconds for an answer while the stream stands; a healthy container takes some 20. */
const ANSWER_MS = 20_000;
/** Milliseconds between two words that the agent lives. */
const BEAT_MS = 20_000;
/** Milliseconds between two tries to open the stream again. */
const RETRY_MS = 1_000;
const LINE_CHARACTERS = 200;

/** The container is gone, or can't be reached for longer than anything waits. */
export class ControlLostError extends Error {
  override readonly name = 'ControlLostError';
}

export interface ControlOptions extends Pick<ChannelOptions, 'cluster' | 'pod' | 'container'> {
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
  readonly #waiting = new Map<number, { readonly line: string; readonly answer: (text: string) => void }>();
  readonly #over = new AbortController();
  readonly #gone = Promise.withResolvers<never>();
  readonly #beat: NodeJS.Timeout;
  #channel: Channel | undefined;
  #isEnding = false;
  #id = 0;
  #text = '';

  constructor(options: ControlOptions) {
    this.#options = options;
    this.#gone.promise.catch(() => undefined);
    this.#beat = setInterval(() => void this.#ask('beat').catch(() => undefined), BEAT_MS);
  }

  /** Opens the stream for the first time and waits until the container obeys. Throws what stands in the way. */
  async open(signal: AbortSignal): Promise<void> {
    const ready = this.#expect(0, '');
    this.#channel = await this.#connect(signal);
    await within(ANSWER_MS, signal, () => Promise.race([ready, this.#gone.promise]));
    void this.#follow(this.#channel);
    void this.#ask('beat').catch(() => undefined);
  }

  get isLost(): boolean {
    return this.#over.signal.aborted;
  }

  /** Puts a file into the container. False when one is there already, or can't be made. */
  async putFile(file: ContainerFile, signal: AbortSignal): Promise<boolean> {
    const request = fileRequest(file);
    return request !== undefined && (await this.#ask(request, signal)) === 'yes';
  }

  /** Signals the step that `leader` leads. True when there was one. */
  async signal(name: StopSignal, leader: number): Promise<boolean> {
    return (await this.#ask(`signal ${name.slice('SIG'.length)} ${leader}`)) === 'yes';
  }

  /** Keeps a step from beginning; false when it has begun. */
  async forbid(step: string): Promise<boolean> {
    return (await this.#ask(`forbid ${step}`)) === 'yes';
  }

  /** Removes a finished step's output in the container. */
  async forget(step: string): Promise<void> {
    await this.#ask(`forget ${step}`);
  }

  async state(environmentFile: string, signal: AbortSignal): Promise<ContainerState> {
    const state = readState(await this.#ask(`state ${environmentFile}`, signal));
    return state ?? { oomKills: 0, environmentChanged: true };
  }

  /** From here on the stream's end is no surprise: the pod is about to go. */
  expectEnd(): void {
    this.#isEnding = true;
  }

  /** Lets go of the stream and asks nothing more. */
  close(): void {
    this.#lose(new ControlLostError('the job was over'));
  }

  #lose(reason: Error): void {
    clearInterval(this.#beat);
    this.#over.abort();
    this.#gone.reject(reason);
    this.#channel?.close();
  }

  #connect(signal: AbortSignal): Promise<Channel> {
    this.#text = '';
    return Channel.open({
      ...this.#options,
      command: ['sh', '-c', CONTROL_SCRIPT, CONTROL_FOLDER],
      onOutput: (piece) => this.#hear(piece.toString('latin1')),
      onError: () => undefined,
      signal,
    });
  }

  /** Opens the stream again whenever it ends, for as long as there is a pod to open it to. */
  async #follow(first: Channel): Promise<void> {
    let channel = first;
    for (let told = false; ; told = true) {
      await channel.end;
      if (this.isLost || this.#isEnding) return;
      if (!told) this.#options.onTrouble('The stream to the job is cut; the job goes on. Opening it again.');
      const next = await this.#again();
      if (next === undefined) return;
      channel = next;
      this.#channel = next;
      for (const { line } of this.#waiting.values()) channel.write(line);
    }
  }

  async #again(): Promise<Channel | undefined> {
    for (;;) {
      if (!(await this.#options.isAlive().catch(() => true))) {
        this.#lose(new ControlLostError('the pod is gone'));
        return undefined;
      }
      try {
        return await this.#connect(this.#over.signal);
      } catch {
        if (this.isLost) return undefined;
        await sleep(RETRY_MS, undefined, { signal: this.#over.signal }).catch(() => undefined);
      }
    }
  }

  async #ask(question: string, signal: AbortSignal = NEVER): Promise<string> {
    if (this.isLost) throw new ControlLostError('the pod is gone');
    this.#id += 1;
    const id = this.#id;
    const line = `${id} ${question}\n`;
    const answer = this.#expect(id, line);
    try {
      this.#channel?.write(line);
      // Without a deadline of its own while the stream is away: it comes back, or the pod is found gone.
      for (;;) {
        try {
          return await within(ANSWER_MS, signal, () => Promise.race([answer, this.#gone.promise]));
        } catch (error) {
          if (!(error instanceof DeadlineError)) throw error;
          if (question === 'beat') throw error;
        }
      }
    } finally {
      this.#waiting.delete(id);
    }
  }

  #expect(id: number, line: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#waiting.set(id, { line, answer: resolve });
    return promise;
  }

  #hear(text: string): void {
    const lines = (this.#text + text).split('\n');
    this.#text = (lines.pop() ?? '').slice(0, LINE_CHARACTERS);
    for (const line of lines) {
      const [, id, answer] = /^(\d{1,9}) ([\w ]{1,100})$/.exec(line) ?? [];
      if (id !== undefined && answer !== undefined) this.#waiting.get(Number(id))?.answer(answer);
    }
  }
}
