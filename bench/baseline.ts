import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Done, Order } from './by-hand.ts';

const PROGRAM = fileURLToPath(new URL('./by-hand.ts', import.meta.url));

/** Runs by-hand.ts in a fresh process, because the code of an agent's first job is just as cold. */
export class ByHand implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #gone: Promise<never>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#gone = once(child, 'exit').then(([code]) =>
      Promise.reject(new Error(`by-hand.ts ended with code ${code}`)),
    );
    this.#gone.catch(() => undefined);
  }

  static async start(): Promise<ByHand> {
    const hand = new ByHand(fork(PROGRAM, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
    await hand.#answer();
    return hand;
  }

  /** Sends an order and resolves with the milliseconds that it took. */
  async do(order: Order): Promise<Done> {
    const answer = this.#answer();
    this.#child.send(order);
    return (await answer) as Done;
  }

  /** Has the process remove its container and exit. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#gone.catch(() => undefined);
  }

  async #answer(): Promise<unknown> {
    const [message] = await Promise.race([once(this.#child, 'message'), this.#gone]);
    return message;
  }
}
