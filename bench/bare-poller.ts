import { get } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

/** What to ask for, and how often. */
export interface PollOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds from an answer to the next request. */
  readonly intervalMs: number;
}

/** One request as plainly as Node makes it, on a connection of its own, read to its end. */
function poll({ url, headers }: PollOrder): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (answer) => {
      answer.resume();
      answer.once('end', resolve);
    }).once('error', reject);
  });
}

process.once('message', async (order: PollOrder) => {
  // Until whoever ordered it ends this program.
  for (;;) {
    await poll(order);
    await delay(order.intervalMs);
  }
});
