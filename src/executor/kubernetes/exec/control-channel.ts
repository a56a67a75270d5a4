import { setTimeout as sleep } from 'node:timers/promises';
import { NEVER } from '../../../base/clock.ts';
import { within } from '../../../base/deadline.ts';
import { messageOf } from '../../../base/outcome.ts';
import { readMemory } from '../../container/shell.ts';
import { ContainerError, ExecutorUnavailableError, type Logger, type StopSignal } from '../../executor.ts';
import { oneLine } from '../../foreign-text.ts';
import { AWAY_MS, type Cluster } from '../cluster.ts';
import { ApiRefusedError, isPassing } from '../errors.ts';
import { CONTROL_FOLDER, CONTROL_SCRIPT } from '../pod/pod-scripts.ts';
import { isAlive } from '../pod/status.ts';
import { ExecStream, type StreamEnd } from './exec-stream.ts';

/** For an answer on an open stream; a healthy container takes about 20 ms. */
const ANSWER_MS = 20_000;

/** To deliver a signal, which waits for a cut stream to be reopened; a lost pod is noticed sooner. */
const DELIVERY_MS = 600_000;

/**
 * Fractions of the pod's lease: between heartbeats, and without an answer until a stream counts as
 * dead.
 */
const HEARTBEAT = 1 / 10;
const SILENCE = 1 / 3;

/**
 * Fraction of the lease to wait, beyond the lease and the orphan grace period, until nothing of the
 * job can run.
 */
const MARGIN = 1 / 4;

/** Between attempts to open the stream. */
const RETRY_MS = 1_000;
const LINE_CHARACTERS = 200;

/** The pod is gone, or has not answered for longer than it runs without its agent. */
export class PodLostError extends Error {
  override readonly name = 'PodLostError';
}

export interface ControlChannelOptions {
  readonly cluster: Cluster;
  readonly pod: string;
  /** Seconds without the agent's heartbeat after which the pod ends itself. */
  readonly leaseSeconds: number;
  /** Seconds of grace for a step that runs then. */
  readonly orphanGraceSeconds: number;
  readonly logger: Logger;
}

/**
 * Connection to the container's CONTROL_SCRIPT, reopened if cut. Resends unanswered requests: none
 * is done twice.
 */
export class ControlChannel {
  /**
   * Called when the stream stops answering: the pod's other streams can be dead too, without having
   * been cut.
   */
  onSilence: (() => void) | undefined;
  readonly #options: ControlChannelOptions;
  /** Unanswered requests, by ID. */
  readonly #requests = new Map<number, { readonly line: string; readonly answer: (text: string) => void }>();
  readonly #lost = new AbortController();
  /**
   * Aborts when the pod is gone or has not answered for longer than it runs without its agent, and
   * on `close`.
   */
  readonly lost = this.#lost.signal;
  #heartbeat: NodeJS.Timeout | undefined;
  #lastAnswerAt = 0;
  #openedAt = 0;
  #stream: ExecStream | undefined;
  #lastId = 0;
  /** The start of an incomplete line. */
  #partial = '';

  constructor(options: ControlChannelOptions) {
    this.#options = options;
  }

  /**
   * Opens the stream and waits for an answer; retries while the API server or the kubelet is away.
   * Throws ApiRefusedError, OutcomeError, or the signal's reason.
   */
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
        if (!(isRefused && error.status < 500 && !isPassing(error)) && performance.now() - begun <= AWAY_MS)
          continue;

        if (isRefused) throw error;

        throw new ExecutorUnavailableError(
          `Failed to enter the pod for the job: ${oneLine(messageOf(error))}. Check the API server, the kubelet and the network between them.`,
          { code: 'PRA-K8S-19', cause: error },
        );
      }
    }
  }

  /**
   * Signals process group `leader` once the stream is open, unless `signal` aborts first. True if
   * there was one.
   */
  async signal(name: StopSignal, leader: number, signal: AbortSignal): Promise<boolean> {
    return (await this.#ask(`signal ${name.slice('SIG'.length)} ${leader}`, signal, DELIVERY_MS)) === 'yes';
  }

  /** Bytes of the container's working set; undefined if its cgroup can't be read. */
  async memory(signal: AbortSignal): Promise<number | undefined> {
    return readMemory(await this.#ask('memory', signal, ANSWER_MS));
  }

  /** Closes the stream for good. */
  close(): void {
    this.#lose(new PodLostError('the job was over'));
  }

  /**
   * Only answers prove that the pod is alive: a stream to the API server can stay open when the
   * node is gone.
   */
  #beat(): void {
    const now = performance.now();
    const { leaseSeconds, orphanGraceSeconds } = this.#options;
    const leaseMs = leaseSeconds * 1000;
    const silentMs = now - this.#lastAnswerAt;

    if (silentMs > leaseMs * (1 + MARGIN) + orphanGraceSeconds * 1000) {
      this.#lose(new PodLostError('the pod has not answered for longer than it runs without its agent'));
      return;
    }

    if (Math.min(silentMs, now - this.#openedAt) > leaseMs * SILENCE) {
      // Only once for each stream.
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

  /** Opens a stream and sends unanswered requests again. */
  async #connect(signal: AbortSignal): Promise<ExecStream> {
    this.#partial = '';

    const { cluster, pod } = this.#options;
    const stream = await ExecStream.open({
      cluster,
      pod,
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

  /** Reads answers; `text` can be cut anywhere. */
  #read(text: string): void {
    this.#lastAnswerAt = performance.now();
    const lines = (this.#partial + text).split('\n');
    this.#partial = (lines.pop() ?? '').slice(0, LINE_CHARACTERS);
    for (const line of lines) {
      const [, id, answer] = /^(\d{1,9}) ([\w ]{1,100})$/.exec(line) ?? [];
      if (id !== undefined && answer !== undefined) this.#requests.get(Number(id))?.answer(answer);
    }
  }

  /** Reopens the stream whenever it ends, for as long as the pod lives. */
  async #keepOpen(first: ExecStream): Promise<void> {
    const signal = this.lost;
    const { cluster, pod, logger } = this.#options;
    let stream: ExecStream | undefined = first;

    for (let isFirst = true; ; isFirst = false) {
      await stream?.end;

      // A pause, as a stream that ends at once can do so again.
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;

      if (isFirst) logger('warning', 'The stream to the job was cut; the job continues. Reopening it.');
      if (!(await isAlive(cluster, pod).catch(() => true)))
        return this.#lose(new PodLostError('the pod is gone'));

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

/** The error for a stream that ended before its script answered. */
function notReady(end: StreamEnd): Error {
  if ('cut' in end) return new Error(messageOf(end.cut), { cause: end.cut });
  return new ContainerError(
    `Failed to enter the pod for the job: its shell ended with exit code ${end.exitCode}${end.message === '' ? '' : `: ${end.message}`}. Use an image with a POSIX shell.`,
    { code: 'PRA-K8S-19', fault: 'deployment' },
  );
}
