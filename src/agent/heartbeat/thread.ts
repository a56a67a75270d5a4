import { Worker } from 'node:worker_threads';
import { type Moment, settledBefore } from '../../clock.ts';
import { currentToken, type TokenSource } from '../../cloud/token.ts';
import type { Claim } from '../../cloud/wire.ts';
import type { AgentConfig } from '../../config/agent-config.ts';
import type { HeartbeatEvents, HeartbeatThread } from '../../job/lease.ts';
import { messageOf } from '../../outcome.ts';
import type { Log } from '../logging/agent-log.ts';
import { THREAD_ARGUMENT } from './argument.ts';
import {
  type FromThread,
  type HeartbeatThreadData,
  type HeartbeatTimes,
  Signs,
  Standstill,
  type ToThread,
} from './messages.ts';

/** Milliseconds that the thread may take to load: 0.2 s on an idle machine. */
const READY_MS = 60_000;
/** It holds one connection: its heap is a few MB. */
const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 1 };

export interface HeartbeatThreadOptions extends HeartbeatEvents {
  /** Path of the program that serves as the thread: the agent's own entry. */
  readonly program: string;
  readonly config: AgentConfig;
  readonly claim: Claim;
  readonly tokens: TokenSource;
  readonly log: Log;
  readonly times: HeartbeatTimes;
}

/** The heartbeats of one claim, sent by a thread of this process. It keeps the process from nothing, and ends with `stop`. */
export class WorkerHeartbeat implements HeartbeatThread {
  readonly #options: HeartbeatThreadOptions;
  readonly #worker: Worker;
  readonly #signs = new Signs();
  readonly #ended = new AbortController();
  readonly #ready = Promise.withResolvers<void>();
  readonly #failed = Promise.withResolvers<never>();
  #watch: NodeJS.Timeout | undefined;

  /** Throws what node:worker_threads throws when the thread can't be made. */
  constructor(options: HeartbeatThreadOptions) {
    this.#options = options;
    const workerData: HeartbeatThreadData = { serves: 'heartbeats', signs: this.#signs.memory };
    this.#worker = new Worker(options.program, {
      argv: [THREAD_ARGUMENT],
      workerData,
      resourceLimits: LIMITS,
      name: 'heartbeats',
    });
    this.#worker.on('message', (message: FromThread) => this.#take(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the thread ended')));
    // After the listeners: one for messages holds the process again.
    this.#worker.unref();
    // Nobody may be waiting when it fails.
    this.#ready.promise.catch(() => undefined);
    this.#failed.promise.catch(() => undefined);
  }

  get lastAccepted(): Moment | undefined {
    return this.#signs.accepted;
  }

  async ready(signal: AbortSignal): Promise<void> {
    await settledBefore(this.#ready.promise, AbortSignal.any([signal, AbortSignal.timeout(READY_MS)]));
  }

  begin(inMs: number): void {
    const { config, claim, times } = this.#options;
    const { token: _, ...known } = config;
    this.#tell({ type: 'begin', config: known, claim: { ...claim, oidcToken: '' }, inMs, times });
    const { intervalMs, fenceMs } = times;
    // Half of what the fence leaves: time enough to mend it.
    const beats = new Standstill(() => this.#signs.beats, intervalMs);
    this.#watch = setInterval(() => {
      this.#signs.countTurn();
      if (beats.look() >= fenceMs / 2) this.#fail(new Error('the thread is stuck'));
    }, intervalMs).unref();
  }

  failure(signal: AbortSignal): Promise<never> {
    return settledBefore(this.#failed.promise, signal);
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    clearInterval(this.#watch);
    this.#worker.removeAllListeners('message');
    await this.#worker.terminate();
  }

  #tell(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #fail(reason: Error): void {
    const error = new Error(
      `Failed to keep the heartbeats' own thread for job ${this.#options.claim.jobId}: ${reason.message}. They go on from the main thread; nothing is lost.`,
      { cause: reason },
    );
    this.#ready.reject(error);
    this.#failed.reject(error);
  }

  #take(message: FromThread): void {
    const { onAccepted, onFailure, onGone, log } = this.#options;
    switch (message.type) {
      case 'ready':
        this.#ready.resolve();
        break;
      case 'accepted':
        onAccepted();
        break;
      case 'failed':
        onFailure(new Error(message.reason));
        break;
      case 'gone':
        onGone();
        break;
      case 'log':
        log(message.level, message.message);
        break;
      case 'want-pool-token':
        void this.#tellPoolToken(message.refused);
    }
  }

  async #tellPoolToken(refused?: string): Promise<void> {
    try {
      const token = await currentToken(this.#options.tokens, this.#ended.signal, refused);
      this.#tell({ type: 'pool-token', token });
    } catch (error) {
      this.#tell({ type: 'no-pool-token', reason: messageOf(error) });
    }
  }
}
