import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../../outcome.ts';
import { readMemory } from '../../container/memory.ts';
import { NEVER, within } from '../../deadline.ts';
import { ContainerError, ExecutorUnavailableError, type StopSignal } from '../../executor.ts';
import { oneLine } from '../../one-line.ts';
import { AWAY_MS } from '../cluster.ts';
import { ApiRefusedError } from '../errors.ts';
import { CONTROL_FOLDER, CONTROL_SCRIPT } from '../pod/pod-scripts.ts';
import { isAlive } from '../pod/status.ts';
import { ExecStream, type ExecStreamOptions, type StreamEnd } from './exec-stream.ts';

/** Milliseconds for an answer while the stream stands; a healthy container takes some 20. */
const ANSWER_MS = 20_000;
/** Milliseconds for a signal, which waits for the stream to come back: a pod is found gone before. */
const DELIVERY_MS = 600_000;
/** Parts of the pod's lease: between two heartbeats; without an answer until a stream counts as dead. */
const HEARTBEAT = 1 / 10;
const SILENCE = 1 / 3;
/** Parts of the lease beyond its end, and the grace of what runs then, until nothing of the job can run any more. */
const MARGIN = 1 / 4;
/** Milliseconds between two tries to open the stream again. */
const RETRY_MS = 1_000;
const LINE_CHARACTERS = 200;

/** The pod is gone, or gave no answer for longer than it runs without its agent. */
export class PodLostError extends Error {
  override readonly name = 'PodLostError';
}

export interface ControlChannelOptions extends Pick<ExecStreamOptions, 'cluster' | 'pod'> {
  /** Seconds without a heartbeat of the agent after which the pod ends itself. */
  readonly leaseSeconds: number;
  /** Seconds that what runs then gets. */
  readonly orphanGraceSeconds: number;
  readonly onTrouble: (text: string) => void;
}

/** The agent's line into the job's container (CONTROL_SCRIPT), opened again whenever it is cut. A request without an answer is sent again; the script does nothing twice. */
export class ControlChannel {
  /** Called when a stream into the pod gives no answer any more: others may be as dead, without being cut. */
  onSilence: (() => void) | undefined;
  readonly #options: ControlChannelOptions;
  /** What is not answered yet, by its ID. */
  readonly #requests = new Map<number, { readonly line: string; readonly answer: (text: string) => void }>();
  readonly #lost = new AbortController();
  #heartbeat: NodeJS.Timeout | undefined;
  #lastAnswerAt = 0;
  #openedAt = 0;
  #stream: ExecStream | undefined;
  #lastId = 0;
  /** The beginning of a line whose end has not come yet. */
  #partial = '';

  constructor(options: ControlChannelOptions) {
    this.#options = options;
  }

  /** Opens the stream and waits for an answer; again while the API server or the kubelet is away. Throws OutcomeError, or the signal's reason. */
  async open(signal: AbortSignal): Promise<void> {
    for (const begun = performance.now(); ; await sleep(RETRY_MS, undefined, { signal })) {
      let stream: ExecStream | undefined;
      try {
        stream = await this.#connect(signal);
        await Promise.race([
          this.#ask('beat', signal, ANSWER_MS),
          stream.end.then((end) => Promise.reject(notReady(end))),
        ]);
        this.#heartbeat = setInterval(() => this.#beat(), this.#options.leaseSeconds * 1000 * HEARTBEAT);
        void this.#keepOpen(stream);
        return;
      } catch (error) {
        stream?.close();
        signal.throwIfAborted();
        if (error instanceof ContainerError) throw error;
        const isRefused = error instanceof ApiRefusedError;
        if (!(isRefused && error.status < 500 && error.status !== 429) && performance.now() - begun <= AWAY_MS)
          continue;
        if (isRefused) throw error;
        throw new ExecutorUnavailableError(
          `Failed to enter the pod for the job: ${oneLine(messageOf(error))}. Check the API server, the kubelet and the network between them.`,
          { code: 'PRA-K8S-19', cause: error },
        );
      }
    }
  }

  /** Aborts when the pod is gone, or gave no answer for longer than it runs without its agent. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Signals the step that `leader` leads, once the stream stands. True when there was one. What wasn't sent when `signal` aborts never is. */
  async signal(name: StopSignal, leader: number, signal: AbortSignal): Promise<boolean> {
    return (await this.#ask(`signal ${name.slice('SIG'.length)} ${leader}`, signal, DELIVERY_MS)) === 'yes';
  }

  /** Bytes of the container's working set; undefined where its cgroup can't be read. */
  async memory(signal: AbortSignal): Promise<number | undefined> {
    return readMemory(await this.#ask('memory', signal, ANSWER_MS));
  }

  /** Closes the stream and asks nothing more. */
  close(): void {
    this.#lose(new PodLostError('the job was over'));
  }

  /** Only answers prove that the pod lives: a stream may stand as far as the API server, and its node be gone. */
  #beat(): void {
    const now = performance.now();
    const { leaseSeconds, orphanGraceSeconds } = this.#options;
    const leaseMs = leaseSeconds * 1000;
    const silentMs = now - this.#lastAnswerAt;
    if (silentMs > leaseMs * (1 + MARGIN) + orphanGraceSeconds * 1000) {
      this.#lose(new PodLostError('the pod has not been heard of for longer than it runs without its agent'));
      return;
    }
    if (Math.min(silentMs, now - this.#openedAt) > leaseMs * SILENCE) {
      // Once for each stream.
      this.#openedAt = Number.POSITIVE_INFINITY;
      this.#stream?.close();
      this.onSilence?.();
    }
    void this.#ask('beat', NEVER, ANSWER_MS).catch(() => undefined);
  }

  #lose(reason: Error): void {
    clearInterval(this.#heartbeat);
    this.#lost.abort(reason);
    this.#stream?.close();
  }

  /** A stream that is open: what was asked before and isn't answered is asked again. */
  async #connect(signal: AbortSignal): Promise<ExecStream> {
    this.#partial = '';
    const stream = await ExecStream.open({
      ...this.#options,
      script: { code: CONTROL_SCRIPT, words: [CONTROL_FOLDER] },
      onOutput: (piece) => this.#read(piece.toString('latin1')),
      onError: () => undefined,
      signal,
    });
    this.#stream = stream;
    this.#openedAt = performance.now();
    for (const { line } of this.#requests.values()) stream.write(line);
    return stream;
  }

  /** Takes answers, cut anywhere. */
  #read(text: string): void {
    this.#lastAnswerAt = performance.now();
    const lines = (this.#partial + text).split('\n');
    this.#partial = (lines.pop() ?? '').slice(0, LINE_CHARACTERS);
    for (const line of lines) {
      const [, id, answer] = /^(\d{1,9}) ([\w ]{1,100})$/.exec(line) ?? [];
      if (id !== undefined && answer !== undefined) this.#requests.get(Number(id))?.answer(answer);
    }
  }

  /** Opens the stream again whenever it ends, for as long as there is a pod to open it to. */
  async #keepOpen(first: ExecStream): Promise<void> {
    const signal = this.lost;
    const { cluster, pod, onTrouble } = this.#options;
    let stream: ExecStream | undefined = first;
    for (let isFirst = true; ; isFirst = false) {
      await stream?.end;
      // What ends at once does so the next time too.
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (isFirst) onTrouble('The stream to the job is cut; the job goes on. Opening it again.');
      if (!(await isAlive(cluster, pod).catch(() => true))) return this.#lose(new PodLostError('the pod is gone'));
      stream = await this.#connect(signal).catch(() => undefined);
    }
  }

  async #ask(request: string, signal: AbortSignal, ms: number): Promise<string> {
    const either = AbortSignal.any([signal, this.lost]);
    either.throwIfAborted();
    this.#lastId += 1;
    const id = this.#lastId;
    const line = `${id} ${request}\n`;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#requests.set(id, { line, answer: resolve });
    try {
      this.#stream?.write(line);
      return await within(ms, either, () => promise);
    } finally {
      this.#requests.delete(id);
    }
  }
}

/** A stream that ended before its script ran. */
function notReady(end: StreamEnd): Error {
  if ('cut' in end) return new Error(messageOf(end.cut), { cause: end.cut });
  return new ContainerError(
    `Failed to enter the pod for the job: its shell ended with exit code ${end.exitCode}${end.message === '' ? '' : `: ${end.message}`}. Use an image with a POSIX shell.`,
    { code: 'PRA-K8S-19' },
  );
}
