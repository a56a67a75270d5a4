import { get } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

/** What to ask for, and how often. */
export interface PollOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds between the first poll and the second: what was started is over by then. */
  readonly restMs: number;
  readonly intervalMs: number;
  /** Beyond the first. */
  readonly polls: number;
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
  await poll(order);
  await delay(order.restMs);
  for (let polls = 0; polls < order.polls; polls += 1) {
    await poll(order);
    await delay(order.intervalMs);
  }
});
// It lies still after its polls, until whoever ordered them has looked.
process.once('disconnect', () => undefined);
