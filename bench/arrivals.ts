import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request to a server of this process. `at`: `performance.now()` milliseconds of its arrival or its answer. */
export interface Arrival {
  readonly at: number;
  readonly method: string;
  readonly path: string;
}

const ARRIVED = 'http.server.request.start';
const ANSWERED = 'http.server.response.finish';

/** Resolves when a server of this process has read the head of a matching request. Rejects after `ms` milliseconds. */
export function arrival(matches: (arrival: Arrival) => boolean, ms = 30_000): Promise<Arrival> {
  return first(ARRIVED, matches, ms);
}

/** Resolves when the answer to a matching request has been handed to the kernel. Rejects after `ms` milliseconds. */
export function answer(matches: (arrival: Arrival) => boolean, ms = 30_000): Promise<Arrival> {
  return first(ANSWERED, matches, ms);
}

function first(channel: string, matches: (arrival: Arrival) => boolean, ms: number): Promise<Arrival> {
  const { promise, resolve, reject } = Promise.withResolvers<Arrival>();
  const listen = (message: unknown) => {
    const { request } = message as { request: IncomingMessage; response: ServerResponse };
    const seen = { at: performance.now(), method: request.method ?? '', path: request.url ?? '' };
    if (matches(seen)) resolve(seen);
  };
  const timer = setTimeout(() => reject(new Error(`no such request within ${ms} ms: ${matches}`)), ms);
  subscribe(channel, listen);
  const settled = promise.finally(() => {
    clearTimeout(timer);
    unsubscribe(channel, listen);
  });
  // The caller may already have failed for another reason.
  settled.catch(() => undefined);
  return settled;
}
