import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

export const POLL = '/api/deployments/poll';

const ARRIVED = 'http.server.request.start';
const ANSWERED = 'http.server.response.finish';

interface Message {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Times the polls that servers of this process answer, until disposed of. */
export class PollTimes implements Disposable {
  readonly #arrived = new WeakMap<IncomingMessage, number>();
  readonly #pollers = new Set<string>();
  #times: number[] = [];

  constructor() {
    subscribe(ARRIVED, this.#onArrival);
    subscribe(ANSWERED, this.#onAnswer);
  }

  /** How many different tokens the answered polls carried. */
  get pollers(): number {
    return this.#pollers.size;
  }

  /** Milliseconds from each poll's arrival to its answer being handed to the kernel; those since the last call. */
  take(): readonly number[] {
    const times = this.#times;
    this.#times = [];
    return times;
  }

  [Symbol.dispose](): void {
    unsubscribe(ARRIVED, this.#onArrival);
    unsubscribe(ANSWERED, this.#onAnswer);
  }

  readonly #onArrival = (message: unknown) => {
    const { request } = message as Message;
    if (request.url === POLL) this.#arrived.set(request, performance.now());
  };

  readonly #onAnswer = (message: unknown) => {
    const { request } = message as Message;
    const at = this.#arrived.get(request);
    if (at === undefined) return;
    this.#times.push(performance.now() - at);
    this.#pollers.add(request.headers.authorization ?? '');
  };
}
