import { write } from 'node:fs';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../clock.ts';
import { JobApi } from '../../cloud/jobs.ts';
import { Heartbeat } from '../../job/heartbeat.ts';
import { Redactor } from '../../log/redactor.ts';
import { messageOf } from '../../outcome.ts';
import { connect } from '../connect.ts';
import { type FromThread, type HeartbeatThreadData, Signs, Standstill, type ToThread } from './messages.ts';

/** Milliseconds that a busy main thread may take to tell the token, before the one that is known is used again. */
const TOKEN_MS = 5_000;
const STDERR = 2;
/** Milliseconds for the last words: a reader of stderr that has stopped may be what holds the main thread. */
const LAST_WORDS_MS = 1_000;

export interface ThreadSources {
  /** The agent's own environment, which may name proxies and certificates. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The heartbeats' thread: says that it is there, and begins when it is told to. It ends when the main thread ends it. */
export function serveHeartbeats({ environment }: ThreadSources): void {
  if (parentPort === null) throw new Error('the heartbeats are served by a thread of the agent');
  const { signs } = workerData as HeartbeatThreadData; // what WorkerHeartbeat starts it with
  const thread = new Thread(parentPort, new Signs(signs), environment);
  parentPort.on('message', (message: ToThread) => void thread.take(message));
  thread.tell({ type: 'ready' });
}

class Thread {
  readonly #port: MessagePort;
  readonly #signs: Signs;
  readonly #environment: ThreadSources['environment'];
  #poolToken: string | undefined;
  #wanted: Pick<PromiseWithResolvers<string>, 'resolve' | 'reject'> | undefined;
  /** Milliseconds that the main thread has stood still. */
  #still = 0;

  constructor(port: MessagePort, signs: Signs, environment: ThreadSources['environment']) {
    this.#port = port;
    this.#signs = signs;
    this.#environment = environment;
  }

  tell(message: FromThread): void {
    this.#port.postMessage(message);
  }

  /** Rejects, which ends the thread, when there is no way to Pulumi Cloud: the main thread then goes on by itself. */
  async take(message: ToThread): Promise<void> {
    switch (message.type) {
      case 'begin':
        await this.#begin(message);
        break;
      case 'pool-token':
        this.#poolToken = message.token;
        this.#wanted?.resolve(message.token);
        break;
      case 'no-pool-token':
        this.#wanted?.reject(new Error(message.reason));
    }
  }

  async #begin({ config, claim, inMs, times }: Extract<ToThread, { type: 'begin' }>): Promise<void> {
    const { http } = await connect(config, {
      environment: this.#environment,
      // What it tells of the way, the main thread has told already; secrets are hidden there too.
      log: (level, message) => {
        if (level !== 'info') this.tell({ type: 'log', level, message });
      },
      redactor: new Redactor(),
    });
    const api = new JobApi(http, claim, (_, refused) => this.#askedPoolToken(refused));
    const { fenceMs } = times;
    new Heartbeat({
      ...times,
      clock: systemClock,
      beat: async (signal) => {
        this.#signs.countBeat();
        // An agent that can neither read nor stop its job must not hold the lease for ever.
        if (this.#still >= fenceMs) throw new Error('the main thread stands still');
        await api.heartbeat(signal);
      },
      onAccepted: (asked) => {
        this.#signs.accepted = asked;
        this.tell({ type: 'accepted' });
      },
      onFailure: (error) => {
        this.tell({ type: 'failed', reason: messageOf(error) });
      },
      onGone: () => this.tell({ type: 'gone' }),
    }).start(inMs);
    this.#watchMain(times.intervalMs, fenceMs);
  }

  /** The main thread's fence can't fall while it stands still: then it falls here, by the end of the process and so of its container. */
  #watchMain(everyMs: number, fenceMs: number): void {
    const standstill = new Standstill(() => this.#signs.turns, everyMs);
    const watch = setInterval(() => {
      this.#still = standstill.look();
      if (this.#still < 2 * fenceMs) return;
      clearInterval(watch);
      write(STDERR, 'The agent stands still and the lease is lost: it ends itself.\n', () => undefined);
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_WORDS_MS);
    }, everyMs);
  }

  /** The pool's token as the main thread has it; another than `refused`. */
  async #askedPoolToken(refused?: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#wanted = { resolve, reject };
    this.tell({ type: 'want-pool-token', ...(refused === undefined ? {} : { refused }) });
    const timer = setTimeout(() => {
      if (this.#poolToken === undefined) reject(new Error('the main thread gave no pool token in time'));
      else resolve(this.#poolToken);
    }, TOKEN_MS);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }
}
